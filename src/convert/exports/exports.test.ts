/** Exports of servers that have networks and machines: Infoblox and Microsoft DHCP. */
import { describe, expect, test } from 'bun:test'
import { outcomeOf } from '../../../testing/hostile/hostile-files.ts'
import { DeviceDraft } from '../../inventory/devices/api.ts'
import type { Converter } from '../converter.ts'
import { detectFormat } from '../converters.ts'
import { convertInfoblox } from './infoblox.ts'
import { convertMsDhcp } from './ms-dhcp.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const convert = async (converter: Converter, file: string | Uint8Array, format: string) => {
  const bytes = typeof file === 'string' ? encode(file) : file
  expect<string>(detectFormat(bytes)).toBe(format)
  const { documents, report, source } = await converter(bytes, { now: new Date(0) })
  const { devices = [], networks = [], pools = [], spaces = [] } = documents
  for (const row of devices) DeviceDraft.parse(row)
  const left = report.left.map(({ what, count, why }) => [what, count, why])
  return {
    devices: [...devices],
    networks: [...networks],
    pools: [...pools],
    spaces: [...spaces],
    left,
    source,
    report,
  }
}

describe('Infoblox', () => {
  const CSV = `header-network,address*,netmask*,comment,network_view,EA-Site,routers
network,10.0.0.0,255.255.255.0,Servers,default,Berlin,10.0.0.1
network,10.1.0.0,255.255.0.0,,Lab,,
header-ipv6network,address*,cidr*,comment
ipv6network,2001:db8::,64,Six
header-dhcprange,start_address*,end_address*,name,network_view
dhcprange,10.0.0.100,10.0.0.200,Clients,default
dhcprange,10.9.0.1,10.9.0.9,Nowhere,default
header-fixedaddress,ip_address*,mac_address,name,comment
fixedaddress,10.0.0.7,52:54:00:AA:BB:07,printer,third floor
FixedAddress,10.0.0.1,00:00:00:00:00:00,,Gateway
header-hostrecord,fqdn*,addresses,comment,configure_for_dns
hostrecord,web.example.org,"10.0.0.8,10.0.0.9",,TRUE
header-hostaddress,parent*,address*,mac_address
hostaddress,db.example.org,10.0.0.10,52-54-00-AA-BB-10
header-cnamerecord,fqdn*,canonical_name*
cnamerecord,www.example.org,web.example.org
header-member,host_name*,shared_secret
member,gm.example.org,geheim
`

  test('has networks, ranges and machines, and names the others', async () => {
    const { devices, networks, pools, spaces, left, report } = await convert(convertInfoblox, CSV, 'infoblox')
    expect(networks).toEqual([
      {
        name: 'Servers',
        subnet: '10.0.0.0/24',
        description: 'Servers\nSite: Berlin',
        refs: { infoblox: 'network.10.0.0.0/24' },
      },
      { name: '10.1.0.0/16', subnet: '10.1.0.0/16', space: 'Lab', refs: { infoblox: 'network.Lab.10.1.0.0/16' } },
      { name: 'Six', subnet: '2001:db8::/64', description: 'Six', refs: { infoblox: 'network.2001:db8::/64' } },
    ])
    expect(spaces).toEqual([{ name: 'Lab' }])
    expect(pools).toEqual([
      {
        name: 'Clients',
        network: { ref: 'infoblox:network.10.0.0.0/24' },
        start_ip: '10.0.0.100',
        end_ip: '10.0.0.200',
        refs: { infoblox: 'range.10.0.0.100-10.0.0.200' },
      },
    ])
    expect(devices.map(({ name, addresses, description }) => [name, addresses, description])).toEqual([
      ['printer', [{ ip: '10.0.0.7', mac_address: '52:54:00:aa:bb:07' }], 'comment: third floor'],
      ['10.0.0.1', [{ ip: '10.0.0.1' }], 'comment: Gateway'],
      ['web', [{ ip: '10.0.0.8' }, { ip: '10.0.0.9' }], undefined],
      ['db', [{ ip: '10.0.0.10', mac_address: '52:54:00:aa:bb:10' }], undefined],
    ])
    expect(left).toEqual([
      ['network.routers', 1, 'has no place in Plat'],
      ['hostrecord.configure_for_dns', 1, 'has no place in Plat'],
      ['cnamerecord', 1, 'has no place in Plat'],
      ['member.shared_secret', 1, 'is a secret'],
      ['member', 1, 'has no place in Plat'],
      ['dhcprange', 1, 'is in no network of the file, or twice'],
    ])
    expect(JSON.stringify(report)).not.toContain('geheim')
  })

  test('names of columns may stand in any case', async () => {
    const text =
      'HEADER-NETWORK,ADDRESS*,NETMASK*,ea-Gateway\nNETWORK,10.176.80.255,255.255.252.0,10.176.80.1\nHEADER-HostRecord,FQDN*,ADDRESSES\nHostRecord,host1.example.com,10.176.80.7\n'
    const { devices, networks, left } = await convert(convertInfoblox, text, 'infoblox')
    expect(networks).toMatchObject([{ subnet: '10.176.80.0/22', description: 'Gateway: 10.176.80.1' }])
    expect(devices).toMatchObject([{ hostname: 'host1.example.com', addresses: [{ ip: '10.176.80.7' }] }])
    expect(left).toEqual([])
  })

  test.each([
    [
      'a line without its header',
      'header-network,address*,netmask*\nzone,example.org\n',
      'line 2: has the type "zone" without its header',
    ],
    ['another CSV', 'name,ip\nweb,10.0.0.7\n', 'line 1: is no header of Infoblox'],
  ])('refuses %s', async (_, text, message) => {
    expect(await outcomeOf(convertInfoblox, encode(text))).toBe(message)
  })
})

describe('Microsoft DHCP', () => {
  const XML = `<?xml version="1.0"?>
<DHCPServer xmlns="http://schemas.microsoft.com/windows/DHCPServer"><MajorVersion>6</MajorVersion><IPv4><ConflictDetectionAttempts>0</ConflictDetectionAttempts>
<Scopes><Scope><ScopeId>10.0.0.0</ScopeId><Name>B&amp;O</Name><SubnetMask>255.255.255.0</SubnetMask><State>Active</State><StartRange>10.0.0.50</StartRange><EndRange>10.0.0.99</EndRange><LeaseDuration>8.00:00:00</LeaseDuration><Description>first floor</Description>
<OptionValues><OptionValue><OptionId>3</OptionId><Value>10.0.0.1</Value></OptionValue></OptionValues>
<Reservations><Reservation><Name>printer.example.org</Name><IPAddress>10.0.0.60</IPAddress><ClientId>52-54-00-aa-bb-60</ClientId><Type>Both</Type><Description>big</Description></Reservation></Reservations>
<Leases><Lease><IPAddress>10.0.0.61</IPAddress><ScopeId>10.0.0.0</ScopeId><ClientId>52-54-00-aa-bb-61</ClientId><HostName>PC1.example.org</HostName><AddressState>Active</AddressState><LeaseExpiryTime>2026-01-01T00:00:00</LeaseExpiryTime></Lease>
<Lease><IPAddress>10.0.0.62</IPAddress><ScopeId>10.0.0.0</ScopeId><ClientId>62-0a</ClientId><HostName>BAD_ADDRESS</HostName><AddressState>Declined</AddressState></Lease></Leases></Scope></Scopes></IPv4></DHCPServer>
`
  const MACHINES = [
    ['printer', [{ ip: '10.0.0.60', mac_address: '52:54:00:aa:bb:60' }]],
    ['PC1', [{ ip: '10.0.0.61', mac_address: '52:54:00:aa:bb:61' }]],
  ]
  const namesOf = (devices: readonly Record<string, unknown>[]) =>
    devices.map(({ name, addresses }) => [name, addresses])

  test('its XML has scopes with their ranges, reservations and leases', async () => {
    const { devices, networks, pools, left } = await convert(convertMsDhcp, XML, 'ms-dhcp')
    expect(networks).toEqual([
      { name: 'B&O', subnet: '10.0.0.0/24', description: 'first floor', refs: { dhcp: 'network.10.0.0.0/24' } },
    ])
    expect(pools.map(({ name, start_ip, end_ip }) => [name, start_ip, end_ip])).toEqual([
      ['B&O', '10.0.0.50', '10.0.0.99'],
    ])
    expect(namesOf(devices)).toEqual(MACHINES)
    expect(left).toEqual([['Lease', 1, 'is Declined']])
  })

  const CSV = `#TYPE Microsoft.Management.Infrastructure.CimInstance
"IPAddress","ScopeId","ClientId","HostName","AddressState","LeaseExpiryTime","PSComputerName"
"10.0.0.60","10.0.0.0","52-54-00-aa-bb-60","printer.example.org","ActiveReservation",,
"10.0.0.61","10.0.0.0","52-54-00-aa-bb-61","PC1.example.org","Active","4/12/2026 10:00:00 AM",
"10.0.0.62","10.0.0.0","52-54-00-aa-bb-62","old","Expired","4/12/2020 10:00:00 AM",
`
  const TABLE = `
IPAddress       ScopeId         ClientId             HostName             AddressState         LeaseExpiryTime
---------       -------         --------             --------             ------------         ---------------
10.0.0.60       10.0.0.0        52-54-00-aa-bb-60    printer.example.org  ActiveReservation
10.0.0.61       10.0.0.0        52-54-00-aa-bb-61    PC1.example.org      Active               4/12/2026 10:00:00 AM
10.0.0.62       10.0.0.0        52-54-00-aa-bb-62    old                  Expired              4/12/2020 10:00:00 AM
`
  const LIST = `
IPAddress       : 10.0.0.60
ScopeId         : 10.0.0.0
ClientId        : 52-54-00-aa-bb-60
HostName        : printer.example.org
AddressState    : ActiveReservation

IPAddress       : 10.0.0.61
ScopeId         : 10.0.0.0
ClientId        : 52-54-00-aa-bb-61
HostName        : PC1.example.org
AddressState    : Active

IPAddress       : 10.0.0.62
ScopeId         : 10.0.0.0
ClientId        : 52-54-00-aa-bb-62
HostName        : old
AddressState    : Expired
`

  test.each([
    ['CSV', encode(CSV)],
    ['a table', encode(TABLE)],
    ['a list', encode(LIST)],
    ['UTF-16', Buffer.from(`\ufeff${CSV}`, 'utf16le')],
  ])('leases of Get-DhcpServerv4Lease as %s are machines', async (_, bytes) => {
    const { devices, left } = await convert(convertMsDhcp, bytes, 'ms-dhcp')
    expect(namesOf(devices)).toEqual(MACHINES)
    expect(left).toEqual([['Lease', 1, 'is Expired']])
  })

  test('a dump of netsh has scopes, ranges and reservations', async () => {
    const text = `# Configuration
Dhcp Server \\\\srv Add scope 10.0.0.0 255.255.255.0 "B&O" "first floor"
Dhcp Server \\\\srv Scope 10.0.0.0 Add iprange 10.0.0.50 10.0.0.99
Dhcp Server \\\\srv Scope 10.0.0.0 Add reservedip 10.0.0.60 525400aabb60 "printer.example.org" "big" "BOTH"
`
    const { devices, networks, pools } = await convert(convertMsDhcp, text, 'ms-dhcp')
    expect<unknown>([networks.length, pools.length, namesOf(devices)]).toEqual([1, 1, [MACHINES[0]]])
  })

  test.each([
    ['other XML', '<a/>', 'the file: is no XML of Export-DhcpServer'],
    ['another table', 'name,ip\nweb,10.0.0.7\n', 'line 1: is no export of a Microsoft DHCP server'],
  ])('refuses %s', async (_, text, message) => {
    expect(await outcomeOf(convertMsDhcp, encode(text))).toBe(message)
  })
})
