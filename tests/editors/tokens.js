// The tokens of texts by the engine of VS Code: `node tokens.js GRAMMAR < TEXTS`, with NODE_PATH.
// TEXTS is a list in JSON; the answer is one list of [text, scopes...] for each.
const fs = require("fs");
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");

async function main() {
  const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length));
  const path = process.argv[2];
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(fs.readFileSync(path, "utf8"), path),
  });
  const grammar = await registry.loadGrammar("source.slp");
  const out = JSON.parse(fs.readFileSync(0, "utf8")).map((text) => {
    const tokens = [];
    let stack = textmate.INITIAL;
    for (const line of text.split("\n")) {
      const found = grammar.tokenizeLine(line, stack);
      stack = found.ruleStack;
      for (const token of found.tokens) {
        tokens.push([line.slice(token.startIndex, token.endIndex), ...token.scopes]);
      }
      tokens.push(["\n"]);
    }
    return tokens.slice(0, -1);
  });
  process.stdout.write(JSON.stringify(out));
}

main();
