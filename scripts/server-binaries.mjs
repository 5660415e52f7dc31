// Owns the search for the servers and the browser that tests need. Shared by scripts (Node) and tests (Bun), so that
// both find the same ones.

import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** The newest complete PostgreSQL server that has the extensions Plat needs. */
export function findPostgres() {
  const onPath = findOnPath(['postgres'])
  const directories = [...(onPath ? [dirname(realpathSync(onPath))] : []), ...debianPostgres()]
  return directories
    .map((directory) => ({
      postgres: join(directory, 'postgres'),
      initdb: join(directory, 'initdb'),
      basebackup: join(directory, 'pg_basebackup'),
    }))
    .find(({ postgres, initdb }) => isExecutable(postgres) && isExecutable(initdb) && hasTrigrams(dirname(postgres)))
}

/** A Valkey server, or a Redis server, which has the same protocol. */
export function findValkey() {
  return findOnPath(['valkey-server', 'redis-server'])
}

/** Traces the system calls of a server. */
export function findStrace() {
  return findOnPath(['strace'])
}

/** A program by its name: `zsh`, `openssl`. */
export function findProgram(name) {
  return findOnPath([name])
}

/** A tool of the network lab: `nft`, `fping`. Debian keeps many of them where only root looks. */
export function findTool(name) {
  return findOnPath([name]) ?? ['/usr/sbin', '/sbin'].map((directory) => join(directory, name)).find(isExecutable)
}

/** A Chromium or Chrome that can be automated, preferably a headless one. */
export function findChromium() {
  const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return (
    findOnPath(['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) ??
    (isExecutable(onMac) ? onMac : undefined)
  )
}

/** Debian keeps the servers outside of PATH, in one directory for each major version. */
function debianPostgres() {
  const base = '/usr/lib/postgresql'
  if (!existsSync(base)) return []
  const versions = readdirSync(base).sort((a, b) => Number(b) - Number(a))
  return versions.map((version) => join(base, version, 'bin'))
}

/** Some systems package pg_trgm separately. If pg_config can't tell, the tests will. */
function hasTrigrams(directory) {
  const asked = spawnSync(join(directory, 'pg_config'), ['--sharedir'], { encoding: 'utf8' })
  if (asked.status !== 0) return true
  return existsSync(join(asked.stdout.trim(), 'extension', 'pg_trgm.control'))
}

function findOnPath(names) {
  const directories = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return names.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable)
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
