// Owns the build of an executable: its files, its targets, and the source of their Bun.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { bunPath, fail, root } from './install.mjs'

/** The package with the Bun of each target. */
const runtimes = {
  'linux-x64': 'bun-linux-x64',
  'linux-arm64': 'bun-linux-aarch64',
  'linux-x64-musl': 'bun-linux-x64-musl',
  'linux-arm64-musl': 'bun-linux-aarch64-musl',
  'darwin-x64': 'bun-darwin-x64',
  'darwin-arm64': 'bun-darwin-aarch64',
  'windows-x64': 'bun-windows-x64',
}
export const targets = Object.keys(runtimes)

const cache = join(root, '.cache', 'runtimes')

/** Returns the path of a target's executable. The default is this machine. */
export const binaryPath = (target) => {
  const name = target === undefined ? 'plat' : `plat-${target}`
  return join(root, 'dist', 'bin', target?.startsWith('windows') ? `${name}.exe` : name)
}

/**
 * Builds one executable. `run(command, args)` gives the exit code of a program.
 * @returns {Promise<{ code: number, file: string, bytes: number }>}
 */
export async function buildBinary({ target, file = binaryPath(target), run }) {
  // Written beside the old one and renamed at the end, because a running executable can't be overwritten.
  const folder = `${file}.${process.pid}`
  const fresh = join(folder, basename(file))
  mkdirSync(folder, { recursive: true })
  const runtime = target && runtimeOf(target)
  const plan = { entries: entries(), file: fresh, target: target && `bun-${target}`, runtime }
  try {
    const code = await run(bunPath(), ['--no-env-file', 'scripts/bundle.ts', JSON.stringify(plan)])
    if (code !== 0) return { code, file, bytes: 0 }
    chmodSync(fresh, 0o755)
    renameSync(fresh, file)
    return { code, file, bytes: statSync(file).size }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The main file and the workers, which are separate entries for the bundler. */
function entries() {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(root, 'src', name))
  const workers = sources.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/new Worker\(new URL\('([^']+)', import\.meta\.url\)/g)].map(([, name]) =>
      relative(root, join(dirname(path), name)),
    ),
  )
  return ['src/main.ts', ...new Set(workers)]
}

/** Fetches the Bun of another machine from its npm package, and checks it against package-lock.json. */
function runtimeOf(target) {
  const name = `@oven/${runtimes[target]}`
  const { version, integrity } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages[
    `node_modules/${name}`
  ]
  const folder = join(cache, `${runtimes[target]}-${version}`)
  const bun = join(folder, 'package', 'bin', target.startsWith('windows') ? 'bun.exe' : 'bun')
  if (existsSync(bun)) return bun
  console.log(`Fetching ${name} ${version} ...`)
  const fresh = `${folder}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  const packed = spawnSync('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', fresh], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (packed.status !== 0) fail(`npm could not fetch ${name} ${version}, which an executable for ${target} is made of.`)
  const archive = join(fresh, packed.stdout.trim().split('\n').at(-1))
  const [algorithm, wanted] = integrity.split(/-(.*)/)
  const found = createHash(algorithm).update(readFileSync(archive)).digest('base64')
  if (found !== wanted) fail(`${name} ${version} is not the one of package-lock.json.`)
  const { status } = spawnSync('tar', ['-xzf', archive, '-C', fresh], { stdio: 'inherit' })
  if (status !== 0) fail(`${archive} could not be unpacked.`)
  rmSync(archive)
  rmSync(folder, { recursive: true, force: true })
  renameSync(fresh, folder)
  return bun
}
