// Starts `slp lsp` where a .slp file is open, and tells it of settings and of changed files.
const { window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate() {
  const settings = workspace.getConfiguration("slp");
  const server = { command: settings.get("command"), args: ["lsp"] };
  client = new LanguageClient("slp", "slp", server, {
    documentSelector: [{ language: "slp" }],
    initializationOptions: { data: settings.get("data") },
    synchronize: {
      configurationSection: "slp",
      fileEvents: workspace.createFileSystemWatcher("**/*.{slp,csv,tsv,gz,parquet,pq}"),
    },
  });
  try {
    await client.start();
  } catch (error) {
    window.showErrorMessage(
      `\`${server.command} lsp\` did not start: ${error.message}. Install slp with its extra \`lsp\`, ` +
        "or name the command by the setting slp.command."
    );
  }
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
