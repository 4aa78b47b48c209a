// Starts the extension without VS Code: `node start_extension.js EXTENSION [FAULT]` prints, in JSON,
// how it starts the server, and what it shows where that fails with FAULT.
const Module = require("module");

const told = { shown: [], stopped: false };
const fault = process.argv[3];
const settings = { command: "/opt/slp", data: "t.csv" };
const vscode = {
  window: { showErrorMessage: (text) => told.shown.push(text) },
  workspace: {
    getConfiguration: (section) => ({ get: (name) => section === "slp" && settings[name] }),
    createFileSystemWatcher: (pattern) => pattern,
  },
};
class LanguageClient {
  constructor(id, name, server, options) {
    Object.assign(told, { id, server, options });
  }
  async start() {
    if (fault) throw new Error(fault);
  }
  async stop() {
    told.stopped = true;
  }
}
const stubs = { vscode, "vscode-languageclient/node": { LanguageClient } };
const load = Module._load;
Module._load = (name, ...others) => stubs[name] ?? load(name, ...others);

const extension = require(process.argv[2]);
extension
  .activate()
  .then(() => extension.deactivate())
  .then(() => process.stdout.write(JSON.stringify(told)));
