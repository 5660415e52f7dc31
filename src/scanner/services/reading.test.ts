/** Parses messages for names, pages and packets, including hostile ones. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'dns-packet'
import fc from 'fast-check'
import { compactVendors } from '../../../scripts/vendors.mjs'
import { buildCommunityQuestion, buildEngineQuestion, readCommunity, readEngine } from '../snmp/agent-question.ts'
import { readVendors } from '../sys/vendors.ts'
import { cleanName, cleanText, cut } from './clean-text.ts'
import { isWholeHttp, readHttp } from './http.ts'
import { createMdnsLimit, readMdns } from './mdns.ts'
import { buildNetbiosQuestion, readNetbios } from './netbios.ts'
import { NEVER_ASKED } from './questions.ts'
import { openRecog } from './recog.ts'

describe('text from strangers', () => {
  test('any text becomes one clean line of the length that is allowed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 60 }), (text, bytes) => {
        const clean = cleanText(text, bytes)
        expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(bytes)
        expect(clean).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e]/u)
      }),
    )
  })

  test('a cut falls between characters', () => expect(cut('aä€😀', 6)).toBe('aä€'))

  test.each([
    ['web1.lab.example.', 'web1.lab.example'],
    ['<b>x</b>', ''],
    ['a b', ''],
    ['', ''],
    ['-x', ''],
  ])('the name %j is read as %j', (text, name) => expect(cleanName(text)).toBe(name))
})

describe('HTTP', () => {
  test('a page without an end is read as far as it is', () => {
    expect(readHttp('HTTP/1.0 200 OK\r\nServer: x\r\n\r\n<title>half').title).toBe('half')
  })
  test('it is whole with its title', () => {
    expect([
      isWholeHttp('HTTP/1.0 200 OK\r\n\r\n<tit'),
      isWholeHttp('HTTP/1.0 200 OK\r\n\r\n<title>a</title>'),
    ]).toEqual([false, true])
  })
  test('it is whole with the length that was announced', () => {
    expect(isWholeHttp('HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc')).toBe(true)
  })
})

describe('NetBIOS', () => {
  const answer = (id: number): Buffer => {
    const message = Buffer.alloc(57 + 18 + 6)
    message.writeUInt16BE(id, 0)
    message[2] = 0x84
    message[56] = 1
    message.write('WINSRV56       ', 57, 'latin1')
    Buffer.from('001122334455', 'hex').copy(message, 75)
    return message
  }
  test('a status names the host and its MAC', () => {
    expect(readNetbios(answer(7), 7)).toEqual({ name: 'WINSRV56', group: '', mac: '00:11:22:33:44:55' })
  })
  test('the answer to another question is none', () => expect(readNetbios(answer(7), 8)).toBeUndefined())
  test('a question is no answer', () =>
    expect(readNetbios(Buffer.concat([buildNetbiosQuestion(7), Buffer.alloc(40)]), 7)).toBeUndefined())
  test('a count that reaches past the end is none', () => {
    const message = answer(7)
    message[56] = 200
    expect(readNetbios(message, 7)).toBeUndefined()
  })
})

describe('multicast DNS', () => {
  const response = encode({
    type: 'response',
    answers: [
      { type: 'PTR', name: '_workstation._tcp.local', data: 'printer55 [f0:1f:af:00:01:37]._workstation._tcp.local' },
      { type: 'PTR', name: '_services._dns-sd._udp.local', data: '_ipp._tcp.local' },
      { type: 'TXT', name: 'Laser._ipp._tcp.local', data: ['txtvers=1', 'ty=HP LaserJet 4200'] },
      { type: 'A', name: 'printer55.local', data: '198.18.0.55' },
    ],
  })
  test('a host tells its name, MAC, model and services', () => {
    expect(readMdns(response, '198.18.0.55')).toEqual({
      name: 'printer55',
      mac: 'f0:1f:af:00:01:37',
      model: 'HP LaserJet 4200',
      kinds: ['_workstation._tcp', '_ipp._tcp'],
    })
  })
  test('a host cannot name another address', () => {
    expect(readMdns(response, '198.18.0.56')?.name).toBe('')
  })

  test('a message of more than 9,000 bytes is not read', () => {
    const padded = (bytes: number): Buffer => Buffer.concat([response, Buffer.alloc(bytes - response.length)])
    expect(readMdns(padded(9000), '198.18.0.55')?.name).toBe('printer55')
    expect(readMdns(padded(9001), '198.18.0.55')).toBeUndefined()
  })

  test('64 messages of each sender are read', () => {
    const isRead = createMdnsLimit()
    const read = (address: string) => Array.from({ length: 100 }, () => isRead(address)).filter(Boolean).length
    expect([read('198.18.0.55'), read('198.18.0.56'), read('198.18.0.55')]).toEqual([64, 64, 0])
  })
})

describe('SNMP', () => {
  /** The answers of snmpd to requests with the id 0x01020304. */
  const REPORT = Buffer.from(
    '30710201033011020401020304020300ffe30401000201030421301f041180001f888073276f08a9cd016b0000000002010102010204000400' +
      '04003036041180001f888073276f08a9cd016b000000000400a81f0204010203040201000201003011300f060a2b060106030f01010400410101',
    'hex',
  )
  const RESPONSE = Buffer.from(
    '303102010104067075626c6963a2240204010203040201000201003016301406082b0601020101010004085465737420626f78',
    'hex',
  )
  test('the engine of a report is read', () =>
    expect(readEngine(REPORT, 0x01020304)).toBe('80001f888073276f08a9cd016b00000000'))
  test('the description in a response is read', () => expect(readCommunity(RESPONSE, 0x01020304)).toBe('Test box'))
  test('a response to another request is none', () => expect(readCommunity(RESPONSE, 5)).toBeUndefined())
  test('a report to another message is none', () => expect(readEngine(REPORT, 5)).toBeUndefined())
  test('our own questions are no answers', () => {
    expect([readEngine(buildEngineQuestion(9), 9), readCommunity(buildCommunityQuestion(9, 'public'), 9)]).toEqual([
      undefined,
      undefined,
    ])
  })
  test('parsing terminates for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          expect(readEngine(Buffer.from(bytes), 1)).toBeUndefined()
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
    )
  })
})

describe('vendors', () => {
  const vendorOf = readVendors(
    compactVendors({
      '8C1F64': 'IEEE Registration Authority\nElsewhere',
      '8C1F64003': 'Small Maker',
      '8C1F640': 'Middle Maker',
      B827EB: 'Raspberry Pi Foundation',
    }),
  )
  test.each([
    ['b8:27:eb:00:01:0c', 'Raspberry Pi Foundation'],
    ['8c:1f:64:00:30:01', 'Small Maker'],
    ['8c:1f:64:01:00:01', 'Middle Maker'],
    ['8c:1f:64:f0:00:01', 'IEEE Registration Authority'],
    ['00:00:00:00:00:01', ''],
    // Locally administered: the first half names no vendor.
    ['ba:27:eb:00:01:0c', ''],
    ['nonsense', ''],
  ])('%s is of %j', (mac, vendor) => expect(vendorOf(mac)).toBe(vendor))
})

describe('a folder of fingerprints', () => {
  const withFolder = async (
    files: Readonly<Record<string, string>>,
    use: (folder: string) => Promise<void>,
  ): Promise<void> => {
    const folder = mkdtempSync(join(tmpdir(), 'plat-recog-'))
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
      await use(folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  const XML = `<fingerprints matches="ssh.banner">
    <fingerprint pattern="^OpenSSH_(.*) ACME-([\\d.]+)$"><param pos="0" name="service.product" value="OpenSSH"/><param pos="1" name="service.version"/><param pos="0" name="os.vendor" value="ACME"/><param pos="2" name="os.version"/></fingerprint>
    <fingerprint pattern="(?&lt;!broken"><param pos="0" name="service.product" value="Never"/></fingerprint>
  </fingerprints>`

  test('adds to what is known, and says how many it could not use', async () => {
    await withFolder({ 'ssh.xml': XML, 'notes.txt': 'x' }, async (folder) => {
      const notes: string[] = []
      const recog = await openRecog(folder, (text) => notes.push(text))
      expect(recog?.refine('SSH-2.0-OpenSSH_9.1 ACME-7.2\r\n', undefined)).toEqual({
        service: 'ssh',
        product: 'OpenSSH',
        version: '9.1',
        os: 'ACME 7.2',
      })
      expect(notes).toEqual(['1 fingerprints from the folder, 1 that cannot be used here left out'])
    })
  })
  test('an unknown service is unchanged', async () => {
    await withFolder({ 'ssh.xml': XML }, async (folder) => {
      const recog = await openRecog(folder, () => {})
      expect(recog?.refine('220 hello\r\n', undefined)).toBeUndefined()
    })
  })
  const SNMP_XML = `<fingerprints matches="snmp.sys_description">
    <fingerprint pattern="^ACME Widget (\\S+) v([\\d.]+)$"><param pos="0" name="os.vendor" value="ACME"/><param pos="0" name="os.product" value="Widget OS"/><param pos="2" name="os.version"/><param pos="1" name="hw.product"/></fingerprint>
    <fingerprint pattern="^Linux"><param pos="0" name="os.product" value="Linux"/></fingerprint>
  </fingerprints>`
  const nothing = { vendor: '', system: '', version: '', model: '', serial: 'S1' }
  test('names the system of an SNMP agent that the rules do not know, or only by its kernel', async () => {
    await withFolder({ 'snmp.xml': SNMP_XML }, async (folder) => {
      const recog = await openRecog(folder, () => {})
      const agent = { description: 'ACME Widget W-7 v2.1', objectId: '1.3.6.1.4.1.99999999' }
      const widget = { vendor: 'ACME', system: 'Widget OS', version: '2.1', model: 'W-7', serial: 'S1' }
      const ios = { ...nothing, vendor: 'Cisco', system: 'Cisco IOS' }
      expect(recog?.refineSystem(agent, nothing)).toEqual(widget)
      expect(recog?.refineSystem(agent, { ...nothing, system: 'Linux (embedded)' })).toEqual(widget)
      expect(recog?.refineSystem(agent, ios)).toEqual(ios)
      expect(recog?.refineSystem({ ...agent, description: 'x' }, nothing)).toEqual(nothing)
      expect(recog?.refineSystem({ ...agent, description: 'Linux box 4.14' }, nothing)).toEqual(nothing)
      expect(recog?.refine('SSH-2.0-x', undefined)).toBeUndefined()
    })
  })
  test('that is not there is a note', async () => {
    const notes: string[] = []
    expect([await openRecog('/nonexistent/plat', (text) => notes.push(text)), notes.length]).toEqual([undefined, 1])
  })
})

test('raw printers and industrial controllers are never sent anything', () => {
  expect([9100, 515, 502, 102, 47_808].filter((port) => !NEVER_ASKED.has(port))).toEqual([])
})
