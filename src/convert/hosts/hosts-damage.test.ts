/** Scans, leases, hosts files and zones that are cut off, damaged, or something else. */
import { describe, expect, test } from 'bun:test'
import { countCases, takeOneIn, testAll } from '../../../testing/cases.ts'
import { cutOff, damaged, outcomeOf, rubbish } from '../../../testing/hostile/hostile-files.ts'
import type { Converter } from '../converter.ts'
import { convertArpScan } from './arp-scan.ts'
import { convertDnsmasq } from './dnsmasq.ts'
import { convertHosts } from './hosts-file.ts'
import { convertIsc } from './isc.ts'
import { convertKea } from './kea.ts'
import { convertNmap } from './nmap.ts'
import { convertZone } from './zone.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const lines = (line: (n: number) => string) => Array.from({ length: 20 }, (_, n) => `${line(n)}\n`).join('')
const MAC = '52:54:00:aa:bb:cc'

const FORMATS: readonly (readonly [string, Converter, string])[] = [
  [
    'nmap',
    convertNmap,
    `<nmaprun>${lines((n) => `<host><status state="up"/><address addr="10.0.0.${n}" addrtype="ipv4"/><hostname name="h${n}&amp;"/></host>`)}<runstats/></nmaprun>`,
  ],
  ['arp-scan', convertArpScan, lines((n) => `10.0.0.${n}\t${MAC}\tVendor ${n}`)],
  [
    'isc-leases',
    convertIsc,
    lines((n) => `lease 10.0.0.${n} {\n  ends never;\n  hardware ethernet ${MAC};\n  uid "\\001";\n}`),
  ],
  [
    'kea-leases',
    convertKea,
    `address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state\n${lines((n) => `10.0.0.${n},${MAC},,3600,4000000000,1,0,0,h${n},0`)}`,
  ],
  ['dnsmasq-leases', convertDnsmasq, lines((n) => `4000000000 ${MAC} 10.0.0.${n} h${n} *`)],
  [
    'zone',
    convertZone,
    `$ORIGIN x.\n$GENERATE 1-3 a$ A 10.0.1.$\n${lines((n) => `h${n} (IN\n A) 10.0.0.${n}\nc${n} CNAME h${n}`)}`,
  ],
  ['hosts', convertHosts, lines((n) => `10.0.0.${n} h${n} alias${n}`)],
]

describe.each(FORMATS)('%s', (_, convert, text) => {
  test('is converted', async () => expect(await outcomeOf(convert, bytesOf(text))).toBe('document'))

  test('that is cut off or damaged is refused or converted', async () => {
    for (const bytes of [...cutOff(bytesOf(text), countCases(300)), ...damaged(bytesOf(text), countCases(600))])
      expect(await outcomeOf(convert, bytes)).toBeString()
  })

  test('rubbish is refused or converted', async () => {
    for (const bytes of rubbish(countCases(100))) expect(await outcomeOf(convert, bytes)).toBeString()
  })

  // A pattern that tries all divisions of a long text would take hours.
  test.each(
    takeOneIn(4, [
      ['blanks', ' '],
      ['a word', 'a'],
      ['opening brackets', '('],
      ['elements', '<a '],
      ['references', '&#x2'],
      ['quotation marks', '"\\"'],
      ['digits', '1h'],
      ['colons', ':'],
    ] as const),
  )('a line of 3 MB of %s is refused or converted', async (__, piece) => {
    const file = piece.repeat(3_000_000 / piece.length)
    expect(await outcomeOf(convert, bytesOf(file))).toBeString()
    const first = text.slice(0, text.indexOf('\n') + 1)
    expect(await outcomeOf(convert, bytesOf(first + file))).toBeString()
  })
})

testAll('a zone of many addresses and aliases of one name is converted in little memory', async () => {
  const records = Array.from({ length: 50_000 }, (_, n) => `a A 10.0.${n >> 8}.${n & 255}\nc${n} CNAME a\n`)
  expect(await outcomeOf(convertZone, bytesOf(`$ORIGIN x.\n${records.join('')}`))).toBe('document')
})

test.each(FORMATS.filter(([name]) => name === 'nmap' || name === 'isc-leases'))(
  '%s that is cut off within a machine is refused',
  async (_, convert, text) => {
    for (const cut of cutOff(bytesOf(text), 300)) {
      const isBetween = /\}\s*$/.test(Buffer.from(cut).toString())
      if (!isBetween) expect(await outcomeOf(convert, cut)).not.toBe('document')
    }
  },
)
