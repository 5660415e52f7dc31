/** Texts and ids of rows, within the limits of their fields. */
import type { ReportBuilder } from '../report-builder.ts'

/** The longest name, location and other text of one line. */
export const MAX_TEXT = 255
export const MAX_TAGS = 100
export const MAX_TAG = 128
export const MAX_LABEL = 128
export const MAX_INTERFACE = 64
export const MAX_ROLE = 64
export const MAX_SERIAL = 128
export const MAX_ASSET_TAG = 64
export const MAX_ADDRESSES = 1000
export const MAX_PORTS = 2000
export const MAX_PORT_NAME = 64
export const MAX_PORT_TYPE = 64

/** A value of the source: its name, and the id of its object. */
export type Place = { readonly what: string; readonly id: unknown }

/** Returns the trimmed text, cut to its longest length. A longer one is left over. */
export const trimText = (report: ReportBuilder, { what, id }: Place, text: string, max = MAX_TEXT): string => {
  const trimmed = text.trim()
  if (trimmed.length <= max) return trimmed
  report.left(what, `is longer than ${max} characters`, { id, value: text })
  // The cut may divide a surrogate pair.
  return trimmed.slice(0, max).toWellFormed().trim()
}

/** Returns valid tags, each once. The others are left over. */
export const filterTags = (report: ReportBuilder, place: Place, tags: readonly string[]): string[] => {
  const all = [...new Set(tags.map((tag) => tag.trim()))].filter((tag) => tag !== '')
  const fits = all.filter((tag) => tag.length <= MAX_TAG).slice(0, MAX_TAGS)
  for (const tag of all)
    if (!fits.includes(tag)) report.left(place.what, 'does not fit into the tags', { id: place.id, value: tag })
  return fits
}

/** Returns the row without empty texts and lists, which say nothing in a create. */
export const compact = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).filter(
      ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
