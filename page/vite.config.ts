import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

const OUT = "../adapters/timeline";
const PAGE = "page.html";

const digest = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Puts script and style into one page whose Content-Security-Policy names them by their digests. */
function onePage(): Plugin {
  return {
    name: "one-page",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      let html = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += file.source;
        else if (name.endsWith(".html")) html = String(file.source);
        delete bundle[name];
      }
      script = script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
      const policy = [
        "default-src 'none'",
        `script-src ${digest(script)}`,
        `style-src ${digest(style)}`,
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const source = html
        .replace(/\s*<script type="module"[^>]*><\/script>/, "")
        .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
        .replace(
          /<meta charset="utf-8">/,
          (found) =>
            `${found}\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`,
        )
        .replace("</head>", () => `  <style>${style}</style>\n  </head>`)
        .replace(
          "</body>",
          () =>
            `  <script type="text/plain" id="data">@DATA@</script>\n` +
            `    <script type="module">${script}</script>\n  </body>`,
        );
      this.emitFile({ type: "asset", fileName: PAGE, source });
    },
  };
}

export default defineConfig({
  plugins: [onePage()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: OUT,
    emptyOutDir: false,
    assetsInlineLimit: 0,
    modulePreload: false,
    cssCodeSplit: false,
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"], // the first that know light-dark()
    reportCompressedSize: false,
  },
});
