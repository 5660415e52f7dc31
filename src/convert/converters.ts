/** The registry of converters: one entry for each format. */
import { invalidField } from '../contract/errors.ts'
import type { Converter } from './converter.ts'
import { toBuffer } from './file-text.ts'
import { FORMATS, type Format } from './formats.ts'
import { HOST_CONVERTERS } from './hosts.ts'
import type { RowSchemas } from './row-schemas.ts'

/** The parts of the program that a converter needs and that this folder does not import. */
export type ConverterParts = { readonly loadRowSchemas: () => Promise<RowSchemas> }

type Entry = {
  /** Loads the converter: a process converts one file, and needs only one of them. */
  readonly load: (parts: ConverterParts) => Promise<Converter>
  /** Returns true for a file of the format, by its beginning. */
  readonly looksLike: (head: string) => boolean
}

/** PowerShell writes UTF-16, which has a NUL between its letters. */
const looksLikeMsDhcp = (head: string): boolean => {
  const text = head.replaceAll('\0', '').replace(/^\u00ff\u00fe/, '')
  return (
    /<DHCPServer[\s>]/.test(text) ||
    /^(?:#TYPE[^\n]*\n)?(?=[^\n]*\bIPAddress\b)[^\n]*\b(?:ScopeId|AddressState)\b/i.test(text) ||
    /^IPAddress +ScopeId +/m.test(text) ||
    /^ScopeId\s*:/m.test(text) ||
    /^Dhcp Server \S+ (?:Scope \S+ )?Add (?:scope|iprange|reservedip) /im.test(text)
  )
}

const isJson = (head: string): boolean => /^\s*[[{]/.test(head)

export const CONVERTERS: Readonly<Record<Format, Entry>> = {
  netbox: {
    load: async () => (await import('./netbox/netbox.ts')).convertNetbox,
    looksLike: (head) =>
      head.includes('PostgreSQL database dump') ||
      (isJson(head) && /"(dcim|ipam|virtualization|extras)[./]/.test(head)),
  },
  phpipam: {
    load: async () => (await import('./phpipam/phpipam.ts')).convertPhpipam,
    looksLike: (head) =>
      /^(--|\/\*).*(MySQL|MariaDB) dump/m.test(head) ||
      (isJson(head) && /"(subnets|sections|addresses)"\s*:/.test(head)),
  },
  rackd: {
    load: async () => (await import('./rackd/rackd.ts')).convertRackd,
    looksLike: (head) => head.startsWith('SQLite format 3\0'),
  },
  'ms-dhcp': {
    load: async () => (await import('./exports/ms-dhcp.ts')).convertMsDhcp,
    looksLike: looksLikeMsDhcp,
  },
  infoblox: {
    load: async () => (await import('./exports/infoblox.ts')).convertInfoblox,
    looksLike: (head) => /^\s*(?:#[^\n]*\n\s*|version[^\n]*\n\s*)*"?header-[a-z0-9]+"?[,;\t]/i.test(head),
  },
  ...HOST_CONVERTERS,
  xlsx: {
    load: async ({ loadRowSchemas }) => (await import('./csv.ts')).createCsvConverter(await loadRowSchemas()),
    looksLike: (head) => head.startsWith('PK\u0003\u0004') && /\[Content_Types\]\.xml|xl\//.test(head),
  },
  // After all others, because their lines may have the same marks.
  csv: {
    load: async ({ loadRowSchemas }) => (await import('./csv.ts')).createCsvConverter(await loadRowSchemas()),
    looksLike: (head) => /^(?!\s*[[{<])[^\n]*[^\s,;|][,;|\t][^\n]*\n/.test(head),
  },
}

/** The number of bytes at the beginning of a file by which its format is known. */
const HEAD_BYTES = 64 * 1024

/** Returns the format of a file. @throws AppError VALIDATION_ERROR on `format` for an unknown one */
export const detectFormat = (bytes: Uint8Array): Format => {
  const head = toBuffer(bytes).toString('latin1', 0, HEAD_BYTES)
  const format = FORMATS.find((name) => CONVERTERS[name].looksLike(head))
  if (!format) throw invalidField('format', `is not known by the file; give one of ${FORMATS.join(', ')}`)
  return format
}
