// Owns the compact table of MAC vendors: dist/vendors.bin, made of the package oui-data whenever that has changed.
// `node scripts/vendors.mjs` builds it.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './install.mjs'

const source = join(root, 'node_modules', 'oui-data', 'index.json')
const file = join(root, 'dist', 'vendors.bin')

/** The version of the format that src/scanner/sys/vendors.ts reads. */
const formatVersion = 1
const hashBytes = 32

/** The numbers of hex digits of the three IEEE registries: MA-L, MA-M, MA-S. */
const lengths = [6, 7, 9]

/** Builds the table unless it exists and is current. */
export function ensureVendors() {
  const json = readFileSync(source)
  const wanted = createHash('sha256').update(`${formatVersion}\n`).update(json).digest()
  if (readHash()?.equals(wanted)) return
  mkdirSync(join(root, 'dist'), { recursive: true })
  // Written beside the old one and renamed at the end, so that a running server always finds a complete file.
  const fresh = `${file}.${process.pid}`
  writeFileSync(fresh, Buffer.concat([wanted, compactVendors(JSON.parse(json.toString()))]))
  renameSync(fresh, file)
}

/**
 * The format: three counts and the length of the names. For each registry, its sorted prefixes as numbers, and the
 * index of each name. Then the names, one a line. Numbers are little-endian, and prefixes of 36 bits are doubles.
 */
export function compactVendors(vendors) {
  const names = new Map()
  const tables = new Map(lengths.map((length) => [length, []]))
  for (const [prefix, text] of Object.entries(vendors)) {
    const name = text.split('\n')[0].trim()
    if (!names.has(name)) names.set(name, names.size)
    tables.get(prefix.length)?.push([Number.parseInt(prefix, 16), names.get(name)])
  }
  const list = Buffer.from([...names.keys()].join('\n'))
  const head = Buffer.alloc(16)
  const parts = [head]
  for (const [i, length] of lengths.entries()) {
    const rows = tables.get(length).sort((a, b) => a[0] - b[0])
    head.writeUInt32LE(rows.length, i * 4)
    const size = length === 9 ? 8 : 4
    const keys = Buffer.alloc(rows.length * size)
    const values = Buffer.alloc(rows.length * 2)
    for (const [at, [prefix, name]] of rows.entries()) {
      if (size === 8) keys.writeDoubleLE(prefix, at * size)
      else keys.writeUInt32LE(prefix, at * size)
      values.writeUInt16LE(name, at * 2)
    }
    parts.push(keys, values)
  }
  head.writeUInt32LE(list.length, 12)
  return Buffer.concat([...parts, list])
}

function readHash() {
  try {
    return readFileSync(file).subarray(0, hashBytes)
  } catch {
    return undefined
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) ensureVendors()
