/** Tables of neighbors, reservations of DHCP servers, inventories, and the outputs of scanners beside the XML of nmap. */
import { describe, expect, test } from 'bun:test'
import { outcomeOf } from '../../../testing/hostile/hostile-files.ts'
import { DeviceDraft } from '../../inventory/devices/api.ts'
import { convertAnsible } from '../ansible/ansible.ts'
import type { Converter } from '../converter.ts'
import { detectFormat } from '../converters.ts'
import { convertDhcpdConf } from '../reservations/dhcpd-conf.ts'
import { convertDnsmasqConf } from '../reservations/dnsmasq-conf.ts'
import { convertKeaConf } from '../reservations/kea-conf.ts'
import { convertMasscan } from './masscan.ts'
import { convertArp, convertIpNeigh } from './neighbors.ts'
import { convertNmap } from './nmap.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Converts, checks that a create takes each row, and that the format is known by the file. */
const convert = async (converter: Converter, text: string, format: string) => {
  expect<string>(detectFormat(encode(text))).toBe(format)
  const { documents, hosts, report, source, leftover } = await converter(encode(text), { now: NOW })
  const devices = [...(documents.devices ?? [])]
  for (const row of devices) DeviceDraft.parse(row)
  const left = report.left.map(({ what, count, why, example }) => [what, count, why, example])
  return { devices, hosts: [...hosts], left, read: report.read, source, leftover }
}

describe('masscan', () => {
  const HOST = (ip: string, port: number, state = 'open', inner = '') =>
    `<host endtime="1700000000"><address addr="${ip}" addrtype="ipv4"/><ports><port protocol="tcp" portid="${port}"><state state="${state}" reason="syn-ack" reason_ttl="64"/>${inner}</port></ports></host>\r\n`
  const XML = `<?xml version="1.0"?>\r\n<!-- masscan v1.0 scan -->\r\n<nmaprun scanner="masscan" start="1700000000" version="1.0-BETA"  xmloutputversion="1.03">\r\n<scaninfo type="syn" protocol="tcp" />\r\n${HOST('10.0.0.7', 80)}${HOST('10.0.0.8', 22)}${HOST('10.0.0.7', 443)}<runstats>\r\n<finished time="1" timestr="x" elapsed="1" />\r\n</runstats>\r\n</nmaprun>\r\n`
  const JSON_TEXT = `[\n{   "ip": "10.0.0.7",   "timestamp": "1700000000", "ports": [ {"port": 80, "proto": "tcp", "status": "open", "reason": "syn-ack", "ttl": 55} ] }\n,\n{   "ip": "10.0.0.8",   "timestamp": "1700000001", "ports": [ {"port": 22, "proto": "tcp", "status": "open", "reason": "syn-ack", "ttl": 55} ] },\n{   "ip": "10.0.0.7",   "timestamp": "1700000002", "ports": [ {"port": 443, "proto": "tcp", "status": "open", "reason": "syn-ack", "ttl": 55} ] },\n{finished: 1}\n]\n`
  const LIST =
    '#masscan\nopen tcp 80 10.0.0.7 1700000000\nopen tcp 22 10.0.0.8 1700000001\nopen tcp 443 10.0.0.7 1700000002\n# end\n'
  const GREP =
    '# Masscan 1.3.2 scan initiated Tue Nov 14 2023\n# Ports scanned: TCP(2;80,443) UDP(0;) SCTP(0;) PROTOCOLS(0;)\nTimestamp: 1700000000\tHost: 10.0.0.7 ()\tPorts: 80/open/tcp//http//\nTimestamp: 1700000001\tHost: 10.0.0.8 ()\tPorts: 22/open/tcp//ssh//\nTimestamp: 1700000002\tHost: 10.0.0.7 ()\tPorts: 443/open/tcp//https//\n# Masscan done at Tue Nov 14 2023\n'

  test.each([
    ['xml', XML],
    ['json', JSON_TEXT],
    ['list', LIST],
    ['grepable', GREP],
  ])('hosts of its %s are up, and the ports of an address are of one host', async (source, text) => {
    const conversion = await convert(convertMasscan, text, 'masscan')
    expect([conversion.source, conversion.left]).toEqual([source, []])
    expect(conversion.hosts.map(({ ip, open_ports }) => [ip, open_ports])).toEqual([
      ['10.0.0.7', [80, 443]],
      ['10.0.0.8', [22]],
    ])
    expect(conversion.devices.map(({ name }) => name)).toEqual(['10.0.0.7', '10.0.0.8'])
  })

  test('its XML is read as nmap too, because a user may name that format', async () => {
    const { documents } = await convertNmap(encode(XML), { now: NOW })
    expect([...(documents.devices ?? [])].length).toBe(2)
  })

  test('a banner names the service, and is left', async () => {
    const text =
      '#masscan\nopen tcp 22 10.0.0.7 1\nbanner tcp 22 10.0.0.7 1 ssh SSH-2.0-OpenSSH_9.2 Debian\nclosed tcp 23 10.0.0.7 1\n# end\n'
    const { hosts, left } = await convert(convertMasscan, text, 'masscan')
    expect(hosts).toEqual([
      { ip: '10.0.0.7', open_ports: [22], services: [{ port: 22, protocol: 'tcp', name: 'ssh' }] },
    ])
    expect(left).toEqual([
      ['banner', 1, 'has no place in Plat', '{"ip":"10.0.0.7","port":"22","banner":"SSH-2.0-OpenSSH_9.2 Debian"}'],
      ['host', 1, 'is closed', 'closed tcp 23 10.0.0.7 1'],
    ])
  })

  test('a list without its end has a warning', async () => {
    const { report } = await convertMasscan(encode(LIST.replace('# end\n', '')), { now: NOW })
    expect(report.warnings.length).toBe(1)
  })
})

describe('nmap', () => {
  test('its output for grep has the hosts that are up, with their open ports', async () => {
    const text =
      '# Nmap 7.94 scan initiated Tue Nov 14 2023 as: nmap -sV -oG scan.gnmap 10.0.0.0/29\nHost: 10.0.0.7 (web.example.org)\tStatus: Up\nHost: 10.0.0.7 (web.example.org)\tPorts: 22/open/tcp//ssh//OpenSSH 9.2 (protocol 2.0)/, 53/open/udp//domain///, 80/closed/tcp//http///\tIgnored State: filtered (997)\tOS: Linux 5.0\nHost: 10.0.0.5 ()\tStatus: Up\nHost: 10.0.0.6 ()\tStatus: Down\n# Nmap done at Tue Nov 14 2023 -- 8 IP addresses (2 hosts up) scanned in 2 seconds\n'
    const { hosts, left, source } = await convert(convertNmap, text, 'nmap')
    expect(source).toBe('grepable')
    expect(hosts).toEqual([
      {
        ip: '10.0.0.7',
        hostname: 'web.example.org',
        os: 'Linux 5.0',
        open_ports: [22],
        services: [
          { port: 22, protocol: 'tcp', name: 'ssh' },
          { port: 53, protocol: 'udp', name: 'domain' },
        ],
      },
      { ip: '10.0.0.5' },
    ])
    expect(left).toEqual([['host', 1, 'is not up', '{"ip":"10.0.0.6"}']])
  })

  test.each([
    [
      'a scan that has failed',
      '<nmaprun><runstats><finished exit="error" errormsg="no route"/></runstats></nmaprun>',
      'the end: the scan has failed: no route',
    ],
    [
      'an output for grep that was not finished',
      '# Nmap 7.94 scan initiated as: nmap -oG -\nHost: 10.0.0.5 ()\tStatus: Up\n',
      'the end: the scan was not finished: it has no line "done at"',
    ],
    [
      'the output for people',
      '# Nmap 7.94 scan initiated as: nmap -oN x\nNmap scan report for 10.0.0.5\n',
      'line 2: is no line of the output for grep (-oG)',
    ],
  ])('refuses %s', async (_, text, message) => {
    expect(await outcomeOf(convertNmap, encode(text))).toBe(message)
  })
})

describe('tables of neighbors', () => {
  test('those of ip neigh are machines that have answered', async () => {
    const text =
      '10.0.0.1 dev eth0 lladdr 52:54:00:aa:bb:01 REACHABLE\n10.0.0.2 dev eth0  FAILED\nfe80::1 dev eth0 lladdr 52:54:00:aa:bb:01 router STALE\n2001:db8::7 dev eth0 lladdr 52:54:00:aa:bb:07 router STALE\n10.0.0.9 dev eth0 lladdr 52:54:00:aa:bb:09 used 1/2/3 probes 4 FAILED\n'
    const { hosts, left } = await convert(convertIpNeigh, text, 'ip-neigh')
    expect(hosts).toEqual([
      { ip: '10.0.0.1', mac_address: '52:54:00:aa:bb:01' },
      { ip: '2001:db8::7', mac_address: '52:54:00:aa:bb:07' },
    ])
    expect(left).toEqual([
      ['neighbor', 2, 'has not answered', '10.0.0.2 dev eth0  FAILED'],
      ['neighbor', 1, 'is a link-local address', 'fe80::1 dev eth0 lladdr 52:54:00:aa:bb:01 router STALE'],
    ])
  })

  test.each([
    ['Linux', 'gw.example.org (10.0.0.1) at 00:1b:21:0a:0c:0e [ether] on eth0\n? (10.0.0.9) at <incomplete> on eth0\n'],
    [
      'macOS',
      'gw.example.org (10.0.0.1) at 0:1b:21:a:c:e on en0 ifscope [ethernet]\n? (10.0.0.9) at (incomplete) on en0 ifscope [ethernet]\n? (10.0.0.255) at ff:ff:ff:ff:ff:ff on en0 ifscope [ethernet]\n',
    ],
    [
      'AIX',
      '  gw.example.org (10.0.0.1) at 0:1b:21:a:c:e [ethernet] stored in bucket 120\n\nbucket:    0     contains:    0 entries\nbucket:  120     contains:    1 entries\n\nThere are 1 entries in the arp table.\n',
    ],
  ])('those of arp -a on %s have names', async (_, text) => {
    const { hosts } = await convert(convertArp, text, 'arp')
    expect(hosts).toEqual([{ ip: '10.0.0.1', mac_address: '00:1b:21:0a:0c:0e', hostname: 'gw.example.org' }])
  })

  test.each([
    [
      'English',
      '\r\nInterface: 10.0.0.5 --- 0x4\r\n  Internet Address      Physical Address      Type\r\n  10.0.0.1              00-1b-21-0a-0c-0e     dynamic   \r\n  224.0.0.22            01-00-5e-00-00-16     static    \r\n',
    ],
    [
      'German',
      'Schnittstelle: 10.0.0.5 --- 0x4\r\n  Internetadresse       Physische Adresse     Typ\r\n  10.0.0.1              00-1b-21-0a-0c-0e     dynamisch \r\n',
    ],
    [
      'its table on Linux',
      'Address                  HWtype  HWaddress           Flags Mask            Iface\n10.0.0.1                 ether   00:1b:21:0a:0c:0e   C                     eth0\n_gateway                 ether   00:1b:21:0a:0c:01   C                     eth0\n10.0.0.2                         (incomplete)                              eth0\nEntries: 3\tSkipped: 0\tFound: 3\n',
    ],
  ])('those of arp in %s are read', async (_, text) => {
    const { hosts } = await convert(convertArp, text, 'arp')
    expect(hosts).toEqual([{ ip: '10.0.0.1', mac_address: '00:1b:21:0a:0c:0e' }])
  })
})

describe('reservations', () => {
  test('of dhcpd are its hosts, at any depth', async () => {
    const text = `# B\u00fcro
option domain-name "example.org"; default-lease-time 600;
subnet 10.0.0.0 netmask 255.255.255.0 {
  range 10.0.0.100 10.0.0.200;
  group { host web { hardware ethernet 52:54:00:aa:bb:07; fixed-address 10.0.0.7, 10.0.0.17; option host-name "web-1"; } }
}
host db { hardware ethernet 52:54:00:aa:bb:08; fixed-address db.example.org; }
host six { fixed-address6 2001:db8::7; fixed-prefix6 2001:db8:5::/56; }
`
    const latin = Buffer.from(text, 'latin1')
    const { documents, report } = await convertDhcpdConf(latin, { now: NOW })
    expect<string>(detectFormat(latin)).toBe('dhcpd-conf')
    expect([...(documents.devices ?? [])]).toEqual([
      {
        name: 'web-1',
        hostname: 'web-1',
        addresses: [
          { ip: '10.0.0.7', mac_address: '52:54:00:aa:bb:07' },
          { ip: '10.0.0.17', mac_address: '52:54:00:aa:bb:07' },
        ],
      },
      { name: 'six', hostname: 'six', addresses: [{ ip: '2001:db8::7' }] },
    ])
    expect(report.left.map(({ what, count, example }) => [what, count, example])).toEqual([
      ['subnet', 1, 'subnet 10.0.0.0 netmask 255.255.255.0'],
      ['group', 1, 'group'],
      ['host.fixed-address', 1, '{"line":7,"value":"db.example.org"}'],
      ['host', 1, '{"host":"db","line":7}'],
      ['host.fixed-prefix6', 1, '{"line":8,"value":"2001:db8:5::/56"}'],
    ])
  })

  test('of Kea are those of the server, of subnets and of shared networks, beside comments', async () => {
    const text = `// The server
{ "Dhcp4": { /* all, */ "t1-percent": .45, "reservations": [ { "hw-address": "52:54:00:aa:bb:01", "ip-address": "10.0.0.1", "hostname": "gw" }, ],
  "subnet4": [ { "subnet": "10.0.1.0/24", # here
    "reservations": [ { "client-id": "01:02", "ip-address": "10.0.1.2" }, { "hw-address": "52:54:00:aa:bb:03", "hostname": "no-address" } ] } ],
  "shared-networks": [ { "name": "s", "subnet4": [ { "reservations": [ { "hw-address": "52:54:00:aa:bb:04", "ip-address": "10.0.2.4" } ] } ] } ] } }
`
    const { devices, left } = await convert(convertKeaConf, text, 'kea-conf')
    expect(devices.map(({ name, addresses }) => [name, addresses])).toEqual([
      ['gw', [{ ip: '10.0.0.1', mac_address: '52:54:00:aa:bb:01' }]],
      ['10.0.1.2', [{ ip: '10.0.1.2' }]],
      ['10.0.2.4', [{ ip: '10.0.2.4', mac_address: '52:54:00:aa:bb:04' }]],
    ])
    expect(left.map(([what, count, why]) => [what, count, why])).toEqual([
      ['reservation.client-id', 1, 'has no place in Plat'],
      ['reservation', 1, 'has no IP address'],
    ])
  })

  test('of dnsmasq are dhcp-host and host-record', async () => {
    const text =
      '# mine\ndomain-needed\ndhcp-range=10.0.0.50,10.0.0.150,12h\ndhcp-host=52:54:00:aa:bb:01,10.0.0.1,gw,infinite\ndhcp-host=52:54:00:aa:bb:02,52:54:00:aa:bb:03,laptop,10.0.0.2 # two cards\ndhcp-host=52:54:00:aa:bb:04,set:red,ignore\ndhcp-host=id:00:01:00:01,[2001:db8::5],six\nhost-record=nas,nas.example.org,10.0.0.3,2001:db8::3,3600\n'
    const { devices, left } = await convert(convertDnsmasqConf, text, 'dnsmasq-conf')
    expect(devices).toEqual([
      { name: 'gw', hostname: 'gw', addresses: [{ ip: '10.0.0.1', mac_address: '52:54:00:aa:bb:01' }] },
      {
        name: 'laptop',
        hostname: 'laptop',
        addresses: [{ ip: '10.0.0.2', mac_address: '52:54:00:aa:bb:02' }],
        description: 'mac: 52:54:00:aa:bb:03',
      },
      { name: 'six', hostname: 'six', addresses: [{ ip: '2001:db8::5' }] },
      {
        name: 'nas',
        hostname: 'nas',
        addresses: [{ ip: '10.0.0.3' }, { ip: '2001:db8::3' }],
        domains: ['nas', 'nas.example.org'],
      },
    ])
    expect(left.map(([what, count]) => [what, count])).toEqual([
      ['domain-needed', 1],
      ['dhcp-range', 1],
      ['dhcp-host.infinite', 1],
      ['dhcp-host.set', 1],
      ['dhcp-host.ignore', 1],
      ['reservation', 1],
      ['dhcp-host.id', 1],
    ])
  })
})

describe('inventories of Ansible', () => {
  const EXPECTED = [
    { name: 'gw', hostname: 'gw.example.org', tags: ['routers'], description: 'ansible_port: 2222' },
    { name: 'web1', hostname: 'web1', addresses: [{ ip: '10.0.0.1' }], tags: ['web'], description: 'role: front' },
    { name: 'web2', hostname: 'web2', tags: ['web'] },
    { name: '10.0.0.9', addresses: [{ ip: '10.0.0.9' }], tags: ['web'] },
  ]
  const INI = `# mine
[routers]
gw.example.org ansible_port=2222
[web]
web1 ansible_host=10.0.0.1 role="front" ansible_password=geheim
web2
10.0.0.9
[web:vars]
ntp=10.0.0.123
ansible_become_pass=geheim
[prod:children]
web
`
  const YAML = `all:
  children:
    routers:
      hosts: { gw.example.org: { ansible_port: 2222 } }
    web:
      hosts:
        web1: { ansible_host: 10.0.0.1, role: front, ansible_password: geheim }
        web2:
        10.0.0.9: {}
      vars: { ntp: 10.0.0.123, ansible_become_pass: geheim }
`
  const LISTED = JSON.stringify({
    _meta: {
      hostvars: {
        'gw.example.org': { ansible_port: 2222 },
        web1: { ansible_host: '10.0.0.1', role: 'front', ansible_password: 'geheim' },
      },
    },
    routers: { hosts: ['gw.example.org'] },
    web: { hosts: ['web1', 'web2', '10.0.0.9'], vars: { ntp: '10.0.0.123', ansible_become_pass: 'geheim' } },
  })

  test.each([
    ['ini', INI],
    ['yaml', YAML],
    ['json', LISTED],
  ])('of %s have hosts with their groups, and drop passwords', async (source, text) => {
    const conversion = await convert(convertAnsible, text, 'ansible')
    expect(conversion.source).toBe(source)
    expect(conversion.devices).toEqual(EXPECTED)
    expect(conversion.hosts.map(({ ip }) => ip)).toEqual(['10.0.0.1', '10.0.0.9'])
    expect(JSON.stringify(conversion)).not.toContain('geheim')
    expect(conversion.left.map(([what, count, why]) => [what, count, why])).toEqual([
      ['host.ansible_password', 1, 'is a secret'],
      ['group.ntp', 1, 'is of a group'],
      ['group.ansible_become_pass', 1, 'is a secret'],
    ])
  })

  test('have hosts with a port, and leave a host that is no name', async () => {
    const text =
      '[web]\n10.0.0.1:2222\n[2001:db8::5]:22\n2001:db8::6\nweb[1:2]:2200\ndb:2201 ansible_port=22\nodd:name\n'
    const { devices, left } = await convert(convertAnsible, text, 'ansible')
    expect(devices.map(({ name, addresses, description }) => [name, addresses, description])).toEqual([
      ['10.0.0.1', [{ ip: '10.0.0.1' }], 'ansible_port: 2222'],
      ['2001:db8::5', [{ ip: '2001:db8::5' }], 'ansible_port: 22'],
      ['2001:db8::6', [{ ip: '2001:db8::6' }], undefined],
      ['web1', undefined, 'ansible_port: 2200'],
      ['web2', undefined, 'ansible_port: 2200'],
      ['db', undefined, 'ansible_port: 22'],
    ])
    expect(left.map(([what, count, why]) => [what, count, why])).toEqual([
      ['host', 1, 'has no name that a device may have'],
    ])
  })

  test('have ranges of hosts, which are bounded', async () => {
    const { devices } = await convert(convertAnsible, '[db]\ndb-[08:10]-[a:b].example.org\n', 'ansible')
    expect(devices.map(({ name }) => name)).toEqual(['db-08-a', 'db-08-b', 'db-09-a', 'db-09-b', 'db-10-a', 'db-10-b'])
    const large = '[db]\ndb-[1:1000]-[1:1000]\n'
    expect(await outcomeOf(convertAnsible, encode(large))).toBe('the file: has ranges of more than 65536 hosts')
  })

  test.each([
    [
      'many aliases',
      `all:\n  vars:\n    a: &a [x, x, x]\n${Array.from({ length: 200 }, (_, i) => `    b${i}: [*a, *a, *a]`).join('\n')}\n`,
    ],
    ['deep nesting', `all:\n  hosts:\n    ${'{a: '.repeat(5000)}`],
  ])('with %s are refused', async (_, text) => {
    expect(await outcomeOf(convertAnsible, encode(text))).toMatch(/^the file: is (no YAML|nested deeper)/)
  })
})
