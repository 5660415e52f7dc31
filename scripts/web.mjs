// Owns the built web UI in dist/web. `node scripts/web.mjs` builds it if its sources have changed.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bunPath, root } from './install.mjs'

const built = join(root, 'dist', 'web')
const stampFile = join(built, '.stamp')

/** Builds dist/web unless it is current. Returns false if the build failed, after its errors were printed. */
export function ensureWeb() {
  const wanted = fingerprint()
  if (readText(stampFile) === wanted) return true
  console.log('Building the web UI ...')
  // Built beside the old one and renamed at the end, so that a running server always finds a complete build.
  const fresh = `${built}.${process.pid}`
  const old = `${fresh}.old`
  mkdirSync(join(root, 'dist'), { recursive: true })
  const env = { ...process.env, NODE_ENV: 'production' }
  const { status } = spawnSync(bunPath(), ['--no-env-file', 'web/build.ts', fresh], {
    cwd: root,
    stdio: 'inherit',
    env,
  })
  if (status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    return false
  }
  writeFileSync(join(fresh, '.stamp'), wanted)
  rmSync(old, { recursive: true, force: true })
  moveAway(built, old)
  renameSync(fresh, built)
  rmSync(old, { recursive: true, force: true })
  return true
}

/** Changes when the result of the build may change. */
function fingerprint() {
  const hash = createHash('sha256').update(readText(join(root, 'package-lock.json')) ?? '')
  for (const path of sources()) hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

/** The sources of the UI, the files that it shares with the server, and the documentation. */
function sources() {
  const files = ['web', 'src', 'docs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  return files.filter((path) => isSource.test(path) && !path.includes('.test.')).sort()
}

const isSource =
  /^(docs\/([^/]+\.md|images\/.+)|web\/.*\.(ts|tsx|css|js|svg|html|woff2)|src\/(net|contract|base|kernel|surfaces|resource)\/.*\.ts|src\/convert\/(formats|protocol)\.ts|src\/\w+\/(.*\/)?(api|schema|catalogue|resources?|sheets|utilization|contracts|kind-names|placement|vlan-scope|kinds\/names)\.ts)$/

function moveAway(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !ensureWeb()) process.exitCode = 1
