/** The size that a ZIP archive has unpacked, by its central directory (APPNOTE 6.3, sections 4.3.12 and 4.3.16). Browser-safe. */

const END = 0x06054b50
const ENTRY = 0x02014b50
const END_BYTES = 22
const ENTRY_BYTES = 46
/** The longest comment behind the end of the archive. */
const MAX_COMMENT = 65_535

const findEnd = (view: DataView): number | undefined => {
  const last = view.byteLength - END_BYTES
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--) if (view.getUint32(at, true) === END) return at
  return undefined
}

/**
 * Returns the sum of the sizes that the archive claims of its files in bytes. A file that claims no size counts as endless.
 * @returns undefined for an archive that is cut off or damaged
 */
export const sumUnpackedSizes = (bytes: Uint8Array): number | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = findEnd(view)
  if (end === undefined) return undefined
  let at = view.getUint32(end + 16, true)
  let sum = 0
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + ENTRY_BYTES > bytes.length || view.getUint32(at, true) !== ENTRY) return undefined
    const [packed, unpacked] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)]
    sum += packed > 0 && unpacked === 0 ? Number.POSITIVE_INFINITY : unpacked
    at += ENTRY_BYTES + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return sum
}
