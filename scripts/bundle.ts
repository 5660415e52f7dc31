/** Puts one executable together: `bun scripts/bundle.ts PLAN`, with the plan as JSON. Run by scripts/binary.mjs, which knows what goes in. */
import type { BunPlugin } from 'bun'

type Plan = {
  readonly entries: string[]
  readonly file: string
  /** For another machine than this one: its name, and its Bun. */
  readonly target?: Bun.Build.CompileTarget
  readonly runtime?: string
}

/**
 * Addons that ssh2 would like and does without. They are of the machine that builds, would be written to a folder of temporary files
 * to be loaded, and one that is left out is looked for in the folder that the program is started in.
 */
const withoutAddons: BunPlugin = {
  name: 'without-addons',
  setup: (build) => {
    build.onResolve({ filter: /^cpu-features$|\.node$/ }, ({ path }) => ({ path, namespace: 'left-out' }))
    build.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: `module.exports = undefined; throw new Error(${JSON.stringify(`${path} is left out`)})`,
      loader: 'js',
    }))
  },
}

// Written by binary.mjs alone.
const { entries, file, target, runtime } = JSON.parse(process.argv[2] ?? '') as Plan
const { success, logs } = await Bun.build({
  entrypoints: entries,
  compile: {
    outfile: file,
    assets: ['dist/web'],
    // Neither settings nor code are taken from the folder that a user happens to be in; `.env` is read by Plat itself.
    autoloadDotenv: false,
    autoloadBunfig: false,
    ...(target === undefined ? {} : { target }),
    ...(runtime === undefined ? {} : { executablePath: runtime }),
  },
  plugins: [withoutAddons],
  define: { 'process.env.NODE_ENV': '"production"' },
  format: 'esm',
  bytecode: true,
  minify: true,
  // What a command does not need is not loaded.
  splitting: true,
  sourcemap: 'linked',
  // All in one folder, where the workers' own way of being named finds them.
  naming: { entry: '[name].[ext]' },
  throw: false,
})
for (const log of logs) console.error(String(log))
if (!success) process.exit(1)
