// The layers of docs/internals/architecture.md, as rules: imports go one way.
const only = (name, comment, path, pathNot) => ({
  name,
  comment,
  severity: "error",
  from: { path },
  to: { pathNot, dependencyTypesNot: ["type-only"] },
});

module.exports = {
  forbidden: [
    only(
      "sdk-loads-pulumi-only",
      "A program that imports the SDK loads @pulumi/pulumi and nothing heavier, beside what Node.js has.",
      "^sdk/",
      "^(sdk/|node_modules/@pulumi/pulumi/|(node:)?module$|async_hooks$|provider/functions\\.ts$)",
    ),
    {
      name: "provider-never-loads-pulumi",
      comment: "The provider runs in any host; a plugin speaks Pulumi's protocol and needs no more of it.",
      severity: "error",
      from: { path: "^provider/", pathNot: "^provider/hosts/plugin/" },
      to: { path: "@pulumi/pulumi", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "provider-knows-no-sdk",
      severity: "error",
      from: { path: "^provider/" },
      to: { path: "^(sdk|examples|test|standin|tools)/" },
    },
    {
      name: "nothing-knows-the-host",
      comment: "A resource works the same in every host.",
      severity: "error",
      from: { path: "^provider/", pathNot: "^provider/hosts/" },
      to: { path: "^provider/hosts/" },
    },
    {
      name: "resources-know-no-other",
      severity: "error",
      from: {
        path: "^provider/resources/([^/]+)",
        pathNot: "^provider/resources/(index\\.ts$|keys/|apiKeySet/|rotatingApiKey/)",
      },
      to: { path: "^provider/resources/", pathNot: "^provider/resources/($1(/|$)|fields/)" },
    },
    {
      name: "sets-and-rotating-keys-consist-of-keys",
      severity: "error",
      from: { path: "^provider/resources/(apiKeySet|rotatingApiKey|keys)/" },
      to: { path: "^provider/resources/", pathNot: "^provider/resources/($1|keys|apiKey|fields)/" },
    },
    {
      name: "only-resources-know-resources",
      severity: "error",
      from: { path: "^provider/(core/|lifecycle/|reads\\.ts$|hosts/|functions\\.ts$)" },
      to: { path: "^provider/resources/" },
    },
    {
      name: "resources-know-no-lifecycle-and-no-transport",
      severity: "error",
      from: { path: "^provider/resources/" },
      to: {
        path: "(^provider/lifecycle/|node_modules/undici)",
      },
    },
    {
      name: "parts-know-no-lifecycle",
      severity: "error",
      from: { path: "^provider/core/" },
      to: { path: "^provider/lifecycle/" },
    },
    {
      name: "client-knows-no-state",
      severity: "error",
      from: { path: "^provider/client/" },
      to: { path: "^provider/(?!client/)" },
    },
    {
      name: "stand-in-is-independent",
      comment: "The test double must not share the provider's idea of the service.",
      severity: "error",
      from: { path: "^standin/" },
      to: { path: "^(sdk|provider|examples|test|tools)/" },
    },
    only(
      "command-is-a-host",
      "The command reads as the resources read, and brings the stand-in. Only the probe knows endpoints and the network.",
      "^cli/",
      "^(cli/|provider/(instance|functions)\\.ts$|provider/(client|core|lifecycle|resources/fields)/|package\\.json$|sdk/types\\.ts$|standin/index\\.ts$|(node:)?(fs|util|crypto|dns|events|tls)\\b)",
    ),
    {
      name: "command-has-the-provider-from-one-module",
      comment: "It is the one that the package has in the dynamic host's bundle.",
      severity: "error",
      from: { path: "^cli/(?!provider\\.ts$)" },
      to: { path: "^provider/" },
    },
    {
      name: "nothing-knows-the-command",
      severity: "error",
      from: { path: "^(sdk|provider|standin|examples|tools)/" },
      to: { path: "^cli/" },
    },
    {
      name: "tools-know-no-tests",
      comment: "Tests drive the engine with tools/engine. The campaign drives hosts as tests do.",
      severity: "error",
      from: { path: "^(tools|examples)/", pathNot: "^tools/campaign/" },
      to: { path: "^test/" },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "no-unresolved", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^dist/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default"],
    },
  },
};
