// Finds the quick tests that need no server, no database and no other process, by what they import and how long they took. They are
// the tests of `npm run check`.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './install.mjs'

const FOLDERS = ['src', 'web/src', 'bench', 'testing', 'tests']

/** What a file does that starts a process or a browser, uses the network, or opens a database. */
const OUTSIDE =
  /from '(?:bun:sqlite|node:child_process|node:net|node:dgram|node:worker_threads|node:http|playwright-core)'|\bBun\.(?:spawn|spawnSync|serve|listen)\(|\bnew (?:SQL|Worker|Database)\(/

/** An import or export of values; types are gone at run time. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^'"();]*?\sfrom\s+)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm

/** A file that took longer is left to the gate. */
const QUICK_MS = 3000

/**
 * Returns the paths of the test files from which no import leads to a file that goes outside.
 * @param times how long each file took in the gate, in ms
 */
export function findUnitTests(times) {
  const files = new Map()
  const read = (path) => {
    if (files.has(path)) return files.get(path)
    const text = readFileSync(path, 'utf8')
    const imports = [...text.matchAll(IMPORT)]
      .map(([, named, later]) => join(dirname(path), named ?? later))
      .filter((one) => /\.tsx?$/.test(one) && existsSync(one))
    const file = { imports, goesOutside: OUTSIDE.test(text) }
    files.set(path, file)
    return file
  }
  const isUnitTest = (test) => {
    const reached = new Set([test])
    for (const path of reached) {
      const { imports, goesOutside } = read(path)
      if (goesOutside) return false
      for (const one of imports) reached.add(one)
    }
    return true
  }
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
  )
    .filter((name) => /\.test\.tsx?$/.test(name) && (times[name] ?? 0) <= QUICK_MS && isUnitTest(join(root, name)))
    .map((name) => `./${relative(root, join(root, name))}`)
    .sort()
}
