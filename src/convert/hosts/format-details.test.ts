/** Details of leases, arp-scan and zones that are read as their formats mean them. */
import { expect, test } from 'bun:test'
import type { Converter } from '../converter.ts'
import { convertArpScan } from './arp-scan.ts'
import { convertDnsmasq } from './dnsmasq.ts'
import { convertHosts } from './hosts-file.ts'
import { convertIsc } from './isc.ts'
import { convertMasscan } from './masscan.ts'
import { convertNmap } from './nmap.ts'
import { convertZone } from './zone.ts'

const convert = async (converter: Converter, file: string | Uint8Array) => {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file
  const { documents, report } = await converter(bytes, { now: new Date(0) })
  const devices = [...(documents.devices ?? [])]
  return { devices, left: report.left.map(({ what, count, example }) => [what, count, example]) }
}

test('leases of one name with different MAC addresses are different devices', async () => {
  const text =
    '0 02:00:00:00:00:02 10.0.0.2 android *\n0 02:00:00:00:00:01 10.0.0.1 android *\n0 02:00:00:00:00:01 10.0.0.9 android *\n'
  const { devices } = await convert(convertDnsmasq, text)
  expect(devices.map(({ name, hostname, addresses }) => [name, hostname, (addresses as unknown[]).length])).toEqual([
    ['android (02:00:00:00:00:02)', 'android', 1],
    ['android', 'android', 2],
  ])
})

test('a name with an underscore is the name of the device, and is named in the report', async () => {
  const { devices, left } = await convert(convertHosts, '10.0.0.7 web_1\n')
  expect(devices).toEqual([{ name: 'web_1', addresses: [{ ip: '10.0.0.7' }] }])
  expect(left).toEqual([['host.hostname', 1, '{"ip":"10.0.0.7","value":"web_1"}']])
})

test('a delegated prefix of dhcpd is left', async () => {
  const text =
    'ia-pd "\\001" {\n  cltt 2 2026/03/03 12:00:00;\n  iaprefix 2001:db8:5::/56 {\n    binding state active;\n    ends never;\n  }\n}\n'
  expect(await convert(convertIsc, text)).toEqual({
    devices: [],
    left: [['lease', 1, '{"ip":"2001:db8:5::","prefix_length":56}']],
  })
})

test('a proxy that answers for others is named, and its remarks are no vendor', async () => {
  const text = '10.0.0.7\t52:54:00:aa:bb:07 (52:54:00:aa:bb:99)\tQEMU (802.1Q VLAN=7) (DUP: 2)\tRTT=0.123 ms\n'
  const { devices, left } = await convert(convertArpScan, text)
  expect(devices.map(({ make_model }) => make_model)).toEqual(['QEMU'])
  expect(left).toEqual([
    ['host.sender', 1, '{"ip":"10.0.0.7","value":"52:54:00:aa:bb:99"}'],
    ['host.remark', 2, '{"ip":"10.0.0.7","value":"802.1Q VLAN=7"}'],
  ])
})

test('an APL record without data and a comment in Latin-1 are valid', async () => {
  const text = '$ORIGIN x.\n; B\u00fcro\na A 10.0.0.1 ; gr\u00fcn\nl APL\nt TXT "a;b" ; \u00e4\n'
  const { devices, left } = await convert(convertZone, Buffer.from(text, 'latin1'))
  expect(devices.map(({ name }) => name)).toEqual(['a'])
  expect(left.map(([what, count]) => [what, count])).toEqual([
    ['APL', 1],
    ['TXT', 1],
  ])
})

test('nmap: details of a service stand beside it, and scripts, closed ports and further names are named in the report', async () => {
  const host = (ip: string, state: string) =>
    `<host><status state="${state}"/><address addr="${ip}" addrtype="ipv4"/><hostnames><hostname name="web.example.org" type="user"/><hostname name="a.example.org" type="PTR"/><hostname name="b.example.org" type="PTR"/></hostnames><ports><port protocol="tcp" portid="443"><state state="open"/><service name="http" product="Apache httpd" version="2.4.33" extrainfo="(Win32)" tunnel="ssl"/><script id="http-title" output="Home"/></port><port protocol="tcp" portid="23"><state state="closed"/><service name="telnet"/></port></ports><uptime seconds="9"/><distance value="1"/><hostscript><script id="nbstat" output="x"/></hostscript><trace><hop ttl="1" ipaddr="10.0.0.254"/></trace></host>`
  const xml = `<nmaprun scanner="nmap">${host('10.0.0.1', 'up')}${host('10.0.0.2', 'down')}<runstats/></nmaprun>`
  const { devices, left } = await convert(convertNmap, xml)
  expect(devices.map(({ description }) => description)).toEqual([
    'open: 443/tcp ssl|http Apache httpd 2.4.33 ((Win32))',
  ])
  expect(left).toEqual([
    ['host.hostname', 2, '{"ip":"10.0.0.1","value":"b.example.org"}'],
    ['host.script', 2, '{"ip":"10.0.0.1","id":"http-title","output":"Home"}'],
    ['host.port', 1, '{"ip":"10.0.0.1","port":23,"protocol":"tcp"}'],
    ['host.uptime', 1, '{"ip":"10.0.0.1","seconds":"9"}'],
    ['host.distance', 1, '{"ip":"10.0.0.1","value":"1"}'],
    ['host.hop', 1, '{"ip":"10.0.0.1","ttl":"1","ipaddr":"10.0.0.254"}'],
    ['host', 1, '["10.0.0.2"]'],
  ])
})

test('masscan: banners of the XML are named in the report, as those of the other formats are', async () => {
  const xml =
    '<nmaprun scanner="masscan"><host><address addr="10.0.0.1" addrtype="ipv4"/><ports><port protocol="tcp" portid="22"><state state="open"/><service name="ssh" banner="SSH-2.0-x"/></port></ports></host><runstats/></nmaprun>'
  const { devices, left } = await convert(convertMasscan, xml)
  expect(devices.map(({ description }) => description)).toEqual(['open: 22/tcp ssh'])
  expect(left).toEqual([['banner', 1, '{"ip":"10.0.0.1","port":22,"name":"ssh","banner":"SSH-2.0-x"}']])
})
