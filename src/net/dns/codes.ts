// The numbers of DNS: record types, classes, opcodes and response codes (IANA "Domain Name System Parameters").

const TYPES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ A: 1, NS: 2, MD: 3, MF: 4, CNAME: 5, SOA: 6, MB: 7, MG: 8, MR: 9, PTR: 12, HINFO: 13, MINFO: 14, MX: 15 },
    ...{ TXT: 16, RP: 17, AFSDB: 18, RT: 21, PX: 26, AAAA: 28, LOC: 29, SRV: 33, NAPTR: 35, CERT: 37, DNAME: 39 },
    ...{ OPT: 41, DS: 43, SSHFP: 44, RRSIG: 46, NSEC: 47, DNSKEY: 48, DHCID: 49, NSEC3: 50, NSEC3PARAM: 51 },
    ...{ TLSA: 52, SMIMEA: 53, CDS: 59, CDNSKEY: 60, OPENPGPKEY: 61, CSYNC: 62, ZONEMD: 63, SVCB: 64, HTTPS: 65 },
    ...{ SPF: 99, TSIG: 250, IXFR: 251, AXFR: 252, ANY: 255, URI: 256, CAA: 257 },
  }),
)
const TYPE_NAMES: ReadonlyMap<number, string> = new Map([...TYPES].map(([name, code]) => [code, name]))
const UNKNOWN_TYPE = /^TYPE(0|[1-9]\d{0,4})$/

export const CLASS_IN = 1
/** RFC 2136 section 2.5.4. */
export const CLASS_NONE = 254
export const CLASS_ANY = 255

export const OPCODE_QUERY = 0
/** RFC 2136 section 1.3. */
export const OPCODE_UPDATE = 5

/** RFC 1035 section 4.1.1, RFC 2136 section 2.2. */
const RCODES = [
  ...['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED', 'YXDOMAIN', 'YXRRSET', 'NXRRSET'],
  ...['NOTAUTH', 'NOTZONE'],
]

/**
 * Returns the code of a record type, in upper case; `TYPE123` is a type without a name (RFC 3597 section 5).
 *
 * @returns undefined for a name that is not one of a type
 * @example
 * parseTypeCode('AAAA') // 28
 * parseTypeCode('TYPE65534') // 65534
 * parseTypeCode('aaaa') // undefined
 */
export function parseTypeCode(type: string): number | undefined {
  const known = TYPES.get(type)
  if (known !== undefined) return known
  const code = Number(UNKNOWN_TYPE.exec(type)?.[1] ?? Number.NaN)
  return code <= 0xffff ? code : undefined
}

/**
 * Returns the code of a type (see `parseTypeCode`) in text that was validated before.
 *
 * @throws RangeError on any other text: that is a bug and not user input
 * @example
 * parseTypeCodeOrThrow('MX') // 15
 * parseTypeCodeOrThrow('X') // throws RangeError
 */
export function parseTypeCodeOrThrow(type: string): number {
  const code = parseTypeCode(type)
  if (code === undefined) throw new RangeError(`Not a DNS type: ${type.slice(0, 64)}`)
  return code
}

/**
 * Returns the name of a type by its code (RFC 3597 section 5 for codes without a name).
 *
 * @example
 * formatTypeCode(28) // 'AAAA'
 * formatTypeCode(65534) // 'TYPE65534'
 */
export function formatTypeCode(code: number): string {
  return TYPE_NAMES.get(code) ?? `TYPE${code}`
}

/**
 * Returns the name of a response code.
 *
 * @example
 * formatRcode(5) // 'REFUSED'
 * formatRcode(15) // 'RCODE15'
 */
export function formatRcode(code: number): string {
  return RCODES[code] ?? `RCODE${code}`
}
