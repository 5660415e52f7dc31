/** Scans, leases, hosts files and zones: their devices, and their errors. */
import { describe, expect, test } from 'bun:test'
import { outcomeOf } from '../../../testing/hostile/hostile-files.ts'
import { DeviceDraft } from '../../inventory/devices/api.ts'
import type { Converter, LazyConversion } from '../converter.ts'
import type { ConvertOptions } from '../protocol.ts'
import { convertArpScan } from './arp-scan.ts'
import { convertDnsmasq } from './dnsmasq.ts'
import { convertHosts } from './hosts-file.ts'
import { convertIsc } from './isc.ts'
import { convertKea } from './kea.ts'
import { convertNmap } from './nmap.ts'
import { convertZone } from './zone.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const LATER = NOW.getTime() / 1000 + 3600
const EARLIER = NOW.getTime() / 1000 - 3600

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
/** Converts, and checks that a create takes each row. */
const converted = async (convert: Converter, text: string, options: Partial<ConvertOptions> = {}) => {
  const conversion = await convert(bytesOf(text), { now: NOW, ...options })
  for (const row of conversion.documents.devices ?? []) DeviceDraft.parse(row)
  return conversion
}
const devicesOf = ({ documents }: LazyConversion) => [...(documents.devices ?? [])]
const leftOf = ({ report }: LazyConversion) => report.left.map(({ what, count, why }) => [what, count, why])

describe('nmap', () => {
  const host = (inner: string, state = 'up') => `<host><status state="${state}"/>${inner}</host>`
  const run = (...hosts: string[]) =>
    `<?xml version="1.0"?>\n<!DOCTYPE nmaprun>\n<!-- scan -->\n<nmaprun scanner="nmap">${hosts.join('')}<runstats><finished/></runstats></nmaprun>\n`
  const WEB = host(`
    <address addr="10.0.0.7" addrtype="ipv4"/><address addr="52:54:00:AA:BB:CC" addrtype="mac" vendor="QEMU &amp; Co"/>
    <hostnames><hostname name="seen.example.org" type="PTR"/><hostname name="web.example.org" type="user"/></hostnames>
    <ports><port protocol="tcp" portid="22"><state state="open"/><service name="ssh" product="OpenSSH" version="9.2"/></port>
      <port protocol="udp" portid="53"><state state="open"/></port>
      <port protocol="tcp" portid="80"><state state="closed"/><service name="http"/></port></ports>
    <os><osmatch name="Linux 5" accuracy="90"/><osmatch name="Linux 6" accuracy="96"/></os>`)

  test('a host is a device with its best system and its open services', async () => {
    const conversion = await converted(convertNmap, run(WEB))
    expect(devicesOf(conversion)).toEqual([
      {
        name: 'web',
        hostname: 'web.example.org',
        make_model: 'QEMU & Co',
        os: 'Linux 6',
        addresses: [{ ip: '10.0.0.7', mac_address: '52:54:00:aa:bb:cc' }],
        description: 'open: 22/tcp ssh OpenSSH 9.2\nopen: 53/udp',
      },
    ])
    expect([...conversion.hosts]).toEqual([
      {
        ip: '10.0.0.7',
        mac_address: '52:54:00:aa:bb:cc',
        vendor: 'QEMU & Co',
        hostname: 'web.example.org',
        os: 'Linux 6',
        open_ports: [22],
        services: [
          { port: 22, protocol: 'tcp', name: 'ssh' },
          { port: 53, protocol: 'udp', name: '' },
        ],
      },
    ])
  })

  test('a host that is down is left', async () => {
    const conversion = await converted(convertNmap, run(host('<address addr="10.0.0.8" addrtype="ipv4"/>', 'down')))
    expect([devicesOf(conversion), leftOf(conversion), conversion.report.read]).toEqual([
      [],
      [['host', 1, 'is not up']],
      { host: 1 },
    ])
  })

  test.each([
    ['a scan that was not finished', '<nmaprun></nmaprun>', 'the end: the scan was not finished: it has no runstats'],
    ['other XML', '<html></html>', 'the file: is no XML of nmap'],
    ['no XML', 'hello', 'the file: is no XML of nmap'],
    [
      'declarations of entities',
      '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><nmaprun/>',
      'character 0: has a DOCTYPE with declarations, which are not read',
    ],
    ['an entity of its own', run(host('<address addr="&b;"/>')), /^character \d+: has the entity &b;/],
    ['deep nesting', '<a>'.repeat(1000), 'the file: is no XML of nmap'],
    ['elements that cross', '<nmaprun><host></nmaprun></host>', /closes nmaprun, which is not open/],
    ['a file that ends within an element', run(WEB).slice(0, 300), /^character \d+: /],
  ])('refuses %s', async (_, text, message) => {
    const outcome = await outcomeOf(convertNmap, bytesOf(text))
    if (message instanceof RegExp) expect(outcome).toMatch(message)
    else expect(outcome).toBe(message)
  })
})

describe('arp-scan', () => {
  const TEXT = `Interface: eth0, type: EN10MB, MAC: 52:54:00:00:00:01, IPv4: 10.0.0.1
Starting arp-scan 1.10.0 with 256 hosts (https://github.com/royhills/arp-scan)
10.0.0.7\t52:54:00:aa:bb:cc\tQEMU virtual NIC
10.0.0.8\t02:00:00:00:00:02\t(Unknown: locally administered)
10.0.0.7\t52:54:00:aa:bb:cc\tQEMU virtual NIC (DUP: 2)

3 packets received by filter, 0 packets dropped by kernel
Ending arp-scan 1.10.0: 256 hosts scanned in 1.8 seconds (142.22 hosts/sec). 2 responded
`

  test('each address is a device, and a second answer is left', async () => {
    const conversion = await converted(convertArpScan, TEXT)
    expect(devicesOf(conversion)).toEqual([
      {
        name: '10.0.0.7',
        make_model: 'QEMU virtual NIC',
        addresses: [{ ip: '10.0.0.7', mac_address: '52:54:00:aa:bb:cc' }],
      },
      { name: '10.0.0.8', addresses: [{ ip: '10.0.0.8', mac_address: '02:00:00:00:00:02' }] },
    ])
    expect(leftOf(conversion)).toEqual([['host', 1, 'is there already']])
  })

  test('refuses a line of another form by its number', async () => {
    expect(await outcomeOf(convertArpScan, bytesOf(`${TEXT}10.0.0.9 is here\n`))).toBe(
      'line 9: is no line of arp-scan: an address, a MAC address and a vendor',
    )
  })
})

describe('leases of ISC dhcpd', () => {
  const lease = (ip: string, state: string, more = '', ends = '6 2026/03/07 12:00:00') => `lease ${ip} {
  starts 0 2026/03/01 11:00:00;
  ends ${ends};
  binding state ${state};
  hardware ethernet 52:54:00:aa:bb:cc;
  uid "\\001RT\\000\\"{;";
${more}}
`

  test('active leases that have not ended count, and only the last one of an address', async () => {
    const text = `# comment {\nauthoring-byte-order little-endian;\n${lease('10.0.0.5', 'free')}${lease('10.0.0.5', 'active', '  client-hostname "pc";\n')}${lease('10.0.0.6', 'free')}${lease('10.0.0.7', 'active', '', '0 2026/03/01 11:59:59')}${lease('10.0.0.8', 'active', '', 'never')}${lease('10.0.0.9', 'active', '', `epoch ${LATER}`)}`
    const conversion = await converted(convertIsc, text)
    const mac_address = '52:54:00:aa:bb:cc'
    expect(devicesOf(conversion).map(({ name, hostname, addresses }) => [name, hostname, addresses])).toEqual([
      ['pc', 'pc', [{ ip: '10.0.0.5', mac_address }]],
      ['10.0.0.8', undefined, [{ ip: '10.0.0.8', mac_address }]],
      ['10.0.0.9', undefined, [{ ip: '10.0.0.9', mac_address }]],
    ])
    expect(leftOf(conversion)).toEqual([
      ['lease', 1, 'is free'],
      ['lease', 1, 'has ended'],
      ['lease', 1, 'has a later entry of the same address'],
    ])
    expect(conversion.report.read).toEqual({ lease: 6 })
  })

  test('of IPv6 count too', async () => {
    const text = `server-duid "\\000\\001";\nia-na "\\001\\002" {\n  cltt 0 2026/03/01 11:00:00;\n  iaaddr 2001:db8::7 {\n    binding state active;\n    ends 6 2026/03/07 12:00:00;\n  }\n}\n`
    expect([...(await converted(convertIsc, text)).hosts]).toEqual([{ ip: '2001:db8::7' }])
  })

  test.each([
    [
      'a file that ends within a lease',
      lease('10.0.0.5', 'active').slice(0, -3),
      'line 6: the file ends within a lease',
    ],
    ['a text without its end', 'lease 10.0.0.5 {\n uid "x', 'line 2: has a text without its end'],
    ['a lease of no address', lease('pc', 'active'), 'line 1: "pc" is no IP address'],
    ['an end that is no time', lease('10.0.0.5', 'active', '', 'soon'), 'line 1: has an end that is no time'],
    ['deep nesting', 'a {'.repeat(30), 'line 1: is nested deeper than 20'],
    ['a file without leases', 'a b;\n', 'line 1: has no lease of dhcpd'],
  ])('refuses %s', async (_, text, message) => {
    expect(await outcomeOf(convertIsc, bytesOf(text))).toBe(message)
  })
})

describe('leases of Kea', () => {
  const V4 =
    'address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context,pool_id'
  const V6 =
    'address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context'

  test('assigned ones that have not ended count', async () => {
    const row = (ip: string, name: string, { expire = LATER, state = 0, life = 3600 } = {}) =>
      `${ip},52:54:00:aa:bb:cc,01:52,${life},${expire},1,0,0,${name},${state},,0`
    const text = [
      V4,
      row('10.0.0.5', 'old'),
      row('10.0.0.5', 'pc&#x2cx.example.org.'),
      row('10.0.0.6', 'a', { state: 1 }),
      row('10.0.0.7', 'b', { expire: EARLIER }),
      row('10.0.0.8', 'c', { life: 0 }),
      row('10.0.0.9', 'd.example.org.', { life: 0xffffffff, expire: EARLIER }),
      '',
    ].join('\n')
    const conversion = await converted(convertKea, text)
    expect(devicesOf(conversion).map(({ name, hostname }) => [name, hostname])).toEqual([
      ['10.0.0.5', undefined],
      ['d', 'd.example.org'],
    ])
    expect(leftOf(conversion)).toEqual([
      ['lease.hostname', 1, 'is no host name'],
      ['lease', 1, 'is declined'],
      ['lease', 1, 'has ended'],
      ['lease', 1, 'is deleted'],
      ['lease', 1, 'has a later entry of the same address'],
    ])
  })

  test('of IPv6 are addresses; prefixes are left', async () => {
    const row = (ip: string, type: number) =>
      `${ip},00:01:00:01,3600,${LATER},1,1800,${type},7,128,0,0,pc6,52:54:00:aa:bb:cc,0,`
    const conversion = await converted(convertKea, [V6, row('2001:db8::5', 0), row('2001:db8:1::', 2)].join('\r\n'))
    expect([...conversion.hosts]).toEqual([{ ip: '2001:db8::5', mac_address: '52:54:00:aa:bb:cc', hostname: 'pc6' }])
    expect(leftOf(conversion)).toEqual([['lease', 1, 'is a prefix']])
  })

  test.each([
    ['a file with other columns', 'a,b\n', 'line 1: does not have the columns of a lease file of Kea'],
    ['a row that is cut off', `${V4}\n10.0.0.5,52:54`, 'line 2: has fewer values than columns'],
    ['a row of no address', `${V4}\npc,,,1,1,1,0,0,,0,,0`, 'line 2: "pc" is no IP address'],
    ['an end that is no time', `${V4}\n10.0.0.5,,,1,x,1,0,0,,0,,0`, 'line 2: has an end that is no time'],
  ])('refuses %s', async (_, text, message) => {
    expect(await outcomeOf(convertKea, bytesOf(text))).toBe(message)
  })
})

describe('leases of dnsmasq', () => {
  test('leases that have not ended count, for both families', async () => {
    const text = `${LATER} 52:54:00:aa:bb:cc 10.0.0.5 pc 01:52:54:00:aa:bb:cc
0 02:00:00:00:00:02 10.0.0.6 * *
${EARLIER} 02:00:00:00:00:03 10.0.0.7 gone *
duid 00:01:00:01:2a:2b:2c:2d:52:54:00:aa:bb:cc
${LATER} 5592732 2001:db8::5 pc 00:01:00:01
`
    const conversion = await converted(convertDnsmasq, text)
    expect(devicesOf(conversion)).toEqual([
      {
        name: 'pc',
        hostname: 'pc',
        addresses: [{ ip: '10.0.0.5', mac_address: '52:54:00:aa:bb:cc' }, { ip: '2001:db8::5' }],
      },
      { name: '10.0.0.6', addresses: [{ ip: '10.0.0.6', mac_address: '02:00:00:00:00:02' }] },
    ])
    expect(leftOf(conversion)).toEqual([['lease', 1, 'has ended']])
  })

  test.each([
    ['a line that is cut off', `${LATER} 52:54:00:aa:bb:cc 10.0.0.5`, 'line 1: is no lease of dnsmasq'],
    ['a line without an address', `${LATER} 52:54:00:aa:bb:cc pc pc *`, 'line 1: "pc" is no IP address'],
  ])('refuses %s', async (_, text, message) => {
    expect(await outcomeOf(convertDnsmasq, bytesOf(text))).toBe(message)
  })
})

describe('hosts files', () => {
  test('aliases are domains, and addresses of no machine are left', async () => {
    const text = `127.0.0.1 localhost
::1 ip6-localhost
fe80::1%lo0 localhost
ff02::1 ip6-allnodes
0.0.0.0 ads.example.org
255.255.255.255 broadcasthost
# a comment
10.0.0.5\tweb.example.org web www.example.org # the web
2001:db8::5 web.example.org
10.0.0.6 web.example.net
`
    const conversion = await converted(convertHosts, text)
    expect(devicesOf(conversion)).toEqual([
      // Two domains have a host of this name.
      {
        name: 'web.example.org',
        hostname: 'web.example.org',
        addresses: [{ ip: '10.0.0.5' }, { ip: '2001:db8::5' }],
        domains: ['web', 'www.example.org'],
      },
      { name: 'web.example.net', hostname: 'web.example.net', addresses: [{ ip: '10.0.0.6' }] },
    ])
    expect(leftOf(conversion)).toEqual([
      ['host', 2, 'is a loopback address'],
      ['host', 1, 'is a link-local address'],
      ['host', 1, 'is a multicast address'],
      ['host', 1, 'is the unspecified address'],
      ['host', 1, 'is the broadcast address'],
    ])
    expect(conversion.report.read).toEqual({ host: 9 })
  })

  test.each([
    ['a line without an address', '10.0.0.1 a\nweb 10.0.0.2\n', 'line 2: "web" is no IP address'],
    ['an address without a name', '10.0.0.1\n', 'line 1: has an address without a name'],
  ])('refuses %s', async (_, text, message) => {
    expect(await outcomeOf(convertHosts, bytesOf(text))).toBe(message)
  })
})

describe('zones', () => {
  const ZONE = `$ORIGIN example.org.
$TTL 1h
@ IN SOA ns1 admin ( 2026010101 ; serial
        7200 3600
        1209600 300 )
  NS ns1
ns1 3600 IN A 10.0.0.1
web IN 300 A 10.0.0.7
    AAAA 2001:db8::7
www CNAME web
shop CNAME www
gone CNAME elsewhere.example.net.
* A 10.0.0.99
text TXT "a ; \\" b" c
$GENERATE 20-24/2 host-\${0,3} A 10.0.0.$
$ORIGIN sub
db A 10.0.1.1
`

  test('addresses, aliases and generated names become devices; the others are left', async () => {
    const conversion = await converted(convertZone, ZONE)
    expect(devicesOf(conversion).map(({ name, domains, addresses }) => [name, domains, addresses])).toEqual([
      ['ns1', ['ns1.example.org'], [{ ip: '10.0.0.1' }]],
      ['web', ['web.example.org', 'www.example.org', 'shop.example.org'], [{ ip: '10.0.0.7' }, { ip: '2001:db8::7' }]],
      ['host-020', ['host-020.example.org'], [{ ip: '10.0.0.20' }]],
      ['host-022', ['host-022.example.org'], [{ ip: '10.0.0.22' }]],
      ['host-024', ['host-024.example.org'], [{ ip: '10.0.0.24' }]],
      ['db', ['db.sub.example.org'], [{ ip: '10.0.1.1' }]],
    ])
    expect(leftOf(conversion)).toEqual([
      ['SOA', 1, 'has no place in Plat'],
      ['NS', 1, 'has no place in Plat'],
      ['A', 1, 'is a wildcard'],
      ['TXT', 1, 'has no place in Plat'],
      ['CNAME', 1, 'has no target with an address in the zone'],
    ])
    expect(conversion.leftover.TXT).toEqual([{ owner: 'text.example.org', data: ['a ; \\" b', 'c'], line: 14 }])
  })

  test('a reverse zone has host names', async () => {
    const nibbles = `7${'.0'.repeat(23)}.8.b.d.0.1.0.0.2.ip6.arpa.`
    const text = `$ORIGIN 0.0.10.in-addr.arpa.\n7 PTR web.example.org.\n${nibbles} PTR web.example.org.\n@ NS ns1.example.org.\n`
    expect([...(await converted(convertZone, text)).hosts]).toEqual([
      { ip: '10.0.0.7', hostname: 'web.example.org' },
      { ip: '2001:db8::7', hostname: 'web.example.org' },
    ])
  })

  test('relative names need an origin, which may be given', async () => {
    expect(await outcomeOf(convertZone, bytesOf('web A 10.0.0.7\n'))).toBe(
      'line 1: has a name without an origin: give origin',
    )
    const conversion = await converted(convertZone, 'web A 10.0.0.7\n', { origin: 'example.org.' })
    expect([...conversion.hosts]).toEqual([{ ip: '10.0.0.7', hostname: 'web.example.org' }])
  })

  test('a circle of aliases ends', async () => {
    const conversion = await converted(convertZone, '$ORIGIN x.\na CNAME b\nb CNAME a\n')
    expect(leftOf(conversion)).toEqual([['CNAME', 2, 'has no target with an address in the zone']])
  })

  test.each([
    ['$INCLUDE', '$ORIGIN x.\n$INCLUDE /etc/passwd\n', /^line 2: includes another file/],
    ['an unknown directive', '$ORIGIN x.\n$HELP a\n', /^line 2: has the unknown directive \$HELP/],
    ['an address of another family', '$ORIGIN x.\na AAAA 10.0.0.1\n', /^line 2: "10.0.0.1" is no address of AAAA/],
    ['parentheses without their end', '$ORIGIN x.\na SOA (\nb', /^line 2: the file ends within parentheses/],
    ['too many generated records', '$ORIGIN x.\n$GENERATE 0-99999999 a$ A 10.0.0.1\n', /^line 2: generates more/],
    ['a record without a name', '  A 10.0.0.1\n', /^line 1: has no name, and no record is before it/],
    ['a line that is no record', '$ORIGIN x.\na\n', /^line 2: is no record/],
    ['an empty file', '; nothing\n', /^line 1: has no record/],
  ])('refuses %s', async (_, text, message) => {
    expect(await outcomeOf(convertZone, bytesOf(text))).toMatch(message)
  })
})
