/** The text of a spreadsheet, whatever its encoding. Browser-safe. */

/** The share of NUL bytes at even or odd places that only UTF-16 has. */
const UTF16_SHARE = 0.3
const SAMPLE_BYTES = 4096

const countNuls = (bytes: Uint8Array, from: number): number => {
  let count = 0
  for (let at = from; at < bytes.length; at += 2) if (bytes[at] === 0) count++
  return count
}

/** Returns the form of UTF-16 of a text, with or without a byte order mark. */
const detectUtf16 = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const [even, odd] = [countNuls(sample, 0), countNuls(sample, 1)]
  const least = (sample.length / 2) * UTF16_SHARE
  if (odd > least && even === 0) return 'utf-16le'
  return even > least && odd === 0 ? 'utf-16be' : undefined
}

/** Spreadsheets save as UTF-8, as UTF-16 or as Windows-1252. */
export const decodeSheetText = (bytes: Uint8Array): string => {
  const utf16 = detectUtf16(bytes)
  if (utf16) return new TextDecoder(utf16).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
