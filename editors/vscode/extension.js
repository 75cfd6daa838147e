// Starts `mapal lsp` for Mapal files, and ends it with the editor.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const [command, ...args] = vscode.workspace.getConfiguration("mapal.server").get("command");
  const documents = { documentSelector: [{ language: "mapal" }] };
  client = new LanguageClient("mapal", "Mapal", { command, args }, documents);
  return client.start();
}

function deactivate() {
  return client === undefined ? undefined : client.stop();
}

module.exports = { activate, deactivate };
