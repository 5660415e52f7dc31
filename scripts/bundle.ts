/** Puts one executable together: `bun scripts/bundle.ts PLAN`, with the plan as JSON. Run by scripts/binary.mjs, which knows what goes in. */
import type { BunPlugin } from 'bun'

type Plan = {
  readonly entries: string[]
  readonly file: string
  /** The name of the target machine and its Bun, for another machine than this one. */
  readonly target?: Bun.Build.CompileTarget
  readonly runtime?: string
}

/**
 * Optional native addons of ssh2 are left out. They would be built for this machine, unpacked to temporary files, and
 * searched for in the working directory.
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

// Only binary.mjs writes this argument.
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
  // A command loads only the modules that it needs.
  splitting: true,
  sourcemap: 'linked',
  // All in one folder, where the workers are found by their names.
  naming: { entry: '[name].[ext]' },
  throw: false,
})
for (const log of logs) console.error(String(log))
if (!success) process.exit(1)
