/** The vendor of a MAC: the longest prefix in the table that `scripts/vendors.mjs` makes. */
import { isLocallyAdministered, parseMac } from '../../net/mac.ts'

export type VendorOf = (mac: string) => string

/** A checksum that only the build looks at, then three counts and the length of the names. */
const CHECKSUM_BYTES = 32
const HEAD_BYTES = 16
/** Hex digits of the registries MA-L, MA-M and MA-S, and the bytes of a prefix in the table of each. */
const REGISTRIES = [
  { digits: 6, bytes: 4 },
  { digits: 7, bytes: 4 },
  { digits: 9, bytes: 8 },
] as const

const UNKNOWN: VendorOf = () => ''

type Registry = { readonly digits: number; readonly find: (prefix: number) => number | undefined }

const readRegistry = (
  table: Buffer,
  { at, count, digits, bytes }: { at: number; count: number; digits: number; bytes: number },
): Registry => {
  const keyAt = (i: number): number =>
    bytes === 8 ? table.readDoubleLE(at + i * bytes) : table.readUInt32LE(at + i * bytes)
  return {
    digits,
    find: (prefix) => {
      let [low, high] = [0, count - 1]
      while (low <= high) {
        const middle = (low + high) >> 1
        const key = keyAt(middle)
        if (key === prefix) return table.readUInt16LE(at + count * bytes + middle * 2)
        if (key < prefix) low = middle + 1
        else high = middle - 1
      }
      return undefined
    },
  }
}

/** @param table as `compactVendors` makes it */
export const readVendors = (table: Buffer): VendorOf => {
  let at = HEAD_BYTES
  const registries = REGISTRIES.map(({ digits, bytes }, i) => {
    const count = table.readUInt32LE(i * 4)
    const registry = readRegistry(table, { at, count, digits, bytes })
    at += count * (bytes + 2)
    return registry
  })
  const names = table
    .subarray(at, at + table.readUInt32LE(12))
    .toString()
    .split('\n')
  // The longest prefix is the narrowest.
  registries.reverse()
  return (mac) => {
    const canonical = parseMac(mac)
    // One that was set by software is of no vendor.
    if (canonical === undefined || isLocallyAdministered(canonical)) return ''
    const hex = canonical.replaceAll(':', '')
    for (const { digits, find } of registries) {
      const name = find(Number.parseInt(hex.slice(0, digits), 16))
      if (name !== undefined) return names[name] ?? ''
    }
    return ''
  }
}

/** Knows no vendor where the table was not built: a checkout that only runs tests. */
export const openVendors = async (): Promise<VendorOf> => {
  try {
    const { default: path } = await import('../../../dist/vendors.bin', { with: { type: 'file' } })
    const table = Buffer.from(await Bun.file(path).arrayBuffer())
    return readVendors(table.subarray(CHECKSUM_BYTES))
  } catch {
    return UNKNOWN
  }
}
