/** Spreadsheets in the shapes that people's files have. Each is read without a mapping. */
import { describe, expect, test } from 'bun:test'
import { AppError } from '../contract/errors.ts'
import type { Resource } from '../inventory/resources.ts'
import * as sheets from '../inventory/sheets.ts'
import { type ConvertedSheet, convertCells } from './csv.ts'
import { readSheetText } from './sheet-file.ts'

type Columns = Readonly<Record<string, string>>

const read = (text: string | Uint8Array, resource: Resource = 'devices', columns: Columns = {}): ConvertedSheet => {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return convertCells(sheets, readSheetText(bytes), { mapping: { resource, columns } })
}
const rowsOf = (...given: Parameters<typeof read>) => read(...given).conversion.documents[given[1] ?? 'devices']

describe('devices', () => {
  test.each([
    [
      'a host name, an address and its MAC',
      'Hostname,IP Address,MAC Address,Comment,VLAN ID\nplc-1,192.0.2.10,00:00:5e:00:53:01,Line 1,200\n',
      {
        name: 'plc-1',
        hostname: 'plc-1',
        addresses: [{ ip: '192.0.2.10', mac_address: '00:00:5e:00:53:01' }],
        description: 'Line 1\nVLAN ID: 200',
      },
    ],
    [
      'a type before the model, and a manufacturer',
      'Name,Type,Manufacturer,Model,Status\npc-1,pc,Acme,X 7080,Active\n',
      { name: 'pc-1', make_model: 'Acme X 7080', status: 'active', description: 'Type: pc' },
    ],
    [
      'addresses with prefix lengths in several columns, with names of their interface and switch port',
      'Device/Host,Interface,IPv4 Address/Prefix,IPv6 Address/Prefix,Switch Port,DNS Name,MAC Address\nr1,eth1,192.0.2.1/24,2001:db8::1/64,Gi1/0/1,r1.example.com,N/A\n',
      {
        name: 'r1',
        addresses: ['192.0.2.1', '2001:db8::1'].map((ip) => ({
          ip,
          interface: 'eth1',
          switch_port: 'Gi1/0/1',
          dns_name: 'r1.example.com',
        })),
      },
    ],
    [
      'several addresses in one cell',
      'Hostname,IP address\nscada,192.0.2.2; 192.0.2.3/24\n',
      { name: 'scada', hostname: 'scada', addresses: [{ ip: '192.0.2.2' }, { ip: '192.0.2.3' }] },
    ],
    [
      'the export of NetBox',
      'Name,Status,Tenant,Site,Location,Rack,Role,Manufacturer,Type,IP Address,ID,IPv4 Address,Tags\nsw1,Offline,,Site 1,,R1,,Acme,S48,192.0.2.1/24,17,192.0.2.1/24,"prod,core"\n',
      {
        name: 'sw1',
        status: 'maintenance',
        datacenter: 'Site 1',
        make_model: 'Acme S48',
        addresses: [{ ip: '192.0.2.1' }],
        tags: ['prod', 'core'],
        description: 'Status: Offline\nRack: R1\nID: 17',
      },
    ],
    [
      'the form in which NetBox imports',
      'name,device_role,manufacturer,device_type,site,rack\nsw1,access,Acme,S48,hq,R101\n',
      { name: 'sw1', make_model: 'Acme S48', datacenter: 'hq', location: 'R101', role: 'access' },
    ],
    [
      'a column host of addresses',
      'device_label,connection_type,host\nrtr,SSH,192.0.2.1\n',
      { name: 'rtr', addresses: [{ ip: '192.0.2.1' }], description: 'connection_type: SSH' },
    ],
    [
      'a driver of automation in a column of device types',
      'Hostname,ip,device_type\nnx-1,192.0.2.1,cisco_nxos\n',
      { name: 'nx-1', hostname: 'nx-1', make_model: 'cisco_nxos', addresses: [{ ip: '192.0.2.1' }] },
    ],
    [
      'a device type with its manufacturer',
      'name,device_type\nsw1,Acme S48\n',
      { name: 'sw1', device_type: 'Acme S48' },
    ],
    [
      'a column of names without a name',
      'ip,hostname,device,description\n192.0.2.1,,,web\n',
      { name: '192.0.2.1', addresses: [{ ip: '192.0.2.1' }], description: 'web' },
    ],
    [
      'addresses of management',
      'vendor,mgmt,group\nAcme,192.0.2.1,line\n',
      { name: '192.0.2.1', make_model: 'Acme', addresses: [{ ip: '192.0.2.1' }], description: 'group: line' },
    ],
    ['a column devices of addresses', 'devices\n192.0.2.1\n', { name: '192.0.2.1', addresses: [{ ip: '192.0.2.1' }] }],
    ['a column devices of names', 'devices,IP\nsw1,192.0.2.1\n', { name: 'sw1', addresses: [{ ip: '192.0.2.1' }] }],
    [
      'several kinds of addresses',
      'Name,Internal IP,Service IP,PrimaryIPAddress,LocationDesc\nn1,,192.0.2.2,192.0.2.3,Hall B\n',
      { name: 'n1', addresses: [{ ip: '192.0.2.2' }, { ip: '192.0.2.3' }], location: 'Hall B' },
    ],
    ['a label beside no name', 'Label,IP\nrtr,192.0.2.1\n', { name: 'rtr', addresses: [{ ip: '192.0.2.1' }] }],
    [
      'a label beside a name',
      'Name,IP,Label,Port\nrtr,192.0.2.1,mgmt,22\n',
      { name: 'rtr', addresses: [{ ip: '192.0.2.1', label: 'mgmt', port: 22 }] },
    ],
    ['addresses alone', 'IP\n192.0.2.1\n', { name: '192.0.2.1', addresses: [{ ip: '192.0.2.1' }] }],
    [
      'a host name with a blank',
      'ipAddress,host\n192.0.2.1,VM Host\n',
      { name: 'VM Host', addresses: [{ ip: '192.0.2.1' }] },
    ],
    [
      'a MAC without an address',
      'Name,IP,MAC\nspare,,00:00:5e:00:53:01\n',
      { name: 'spare', description: 'MAC: 00:00:5e:00:53:01' },
    ],
    [
      'German headers, titles and blanks',
      'Inventar, Stand 2024;;;\n;;;\nGerätename;IP-Adresse;MAC-Adresse;Standort\n web1 ; 192.0.2.5 ;00-00-5E-00-53-01; "Keller; links"\n',
      {
        name: 'web1',
        addresses: [{ ip: '192.0.2.5', mac_address: '00-00-5E-00-53-01' }],
        location: 'Keller; links',
      },
    ],
    [
      'French headers',
      "Nom d'hôte;Adresse IP;Adresse MAC;Emplacement;Statut\nweb1;192.0.2.5;0000.5e00.5301;Salle 1;Actif\n",
      {
        name: 'web1',
        hostname: 'web1',
        addresses: [{ ip: '192.0.2.5', mac_address: '0000.5e00.5301' }],
        location: 'Salle 1',
        status: 'active',
      },
    ],
    [
      'the line of the delimiter',
      'sep=;\r\nName;IP\r\nweb;192.0.2.1\r\n',
      { name: 'web', addresses: [{ ip: '192.0.2.1' }] },
    ],
    [
      'a title with the other delimiter',
      'Hosts, Berlin\nName;IP\nweb;192.0.2.1\ndb;\n',
      { name: 'web', addresses: [{ ip: '192.0.2.1' }] },
    ],
  ] as const)('%s', (_, text, row) => {
    expect(rowsOf(text)?.[0]).toEqual(row)
  })

  test('UTF-16 is read in both orders, with and without its mark', () => {
    const text = 'Gerät;IP\nBüro;192.0.2.1\n'
    const row = [{ name: 'Büro', addresses: [{ ip: '192.0.2.1' }] }]
    for (const mark of ['\ufeff', '']) {
      const little = Buffer.from(mark + text, 'utf16le')
      expect(rowsOf(new Uint8Array(little))).toEqual(row)
      expect(rowsOf(new Uint8Array(Buffer.from(little).swap16()))).toEqual(row)
    }
  })

  test('rows of one device are joined, with their name in any case', () => {
    const { conversion, origins } = read(
      'Name,IP,Interface,OS,Tags,Comment\nr1,192.0.2.1,eth0,A,x,one\nr2,192.0.2.9,,,,\nR1,192.0.2.2,eth1,B,y;x,two\nr1,192.0.2.1,eth9,,,one\n',
    )
    expect(conversion.documents.devices).toEqual([
      {
        name: 'r1',
        os: 'A',
        tags: ['x', 'y'],
        description: 'one\ntwo',
        addresses: [
          { ip: '192.0.2.1', interface: 'eth0' },
          { ip: '192.0.2.2', interface: 'eth1' },
        ],
      },
      { name: 'r2', addresses: [{ ip: '192.0.2.9' }] },
    ])
    expect(origins).toEqual([{ rows: [2, 4, 5], addresses: [2, 4] }, 3])
    expect(conversion.report.left).toEqual([
      { what: 'OS', count: 1, why: 'differs from an earlier row of the same device', example: 'B' },
    ])
  })

  test('devices of one name at two sites stay two', () => {
    const { conversion, named } = read('site_name,host_name,host_ip\nParis,web,192.0.2.1\nLyon,web,192.0.2.2\n')
    expect(conversion.documents.devices?.map(({ datacenter }) => datacenter)).toEqual(['Paris', 'Lyon'])
    expect([...(named.get('datacenters')?.keys() ?? [])]).toEqual(['Paris', 'Lyon'])
  })

  test('a column of an address is mapped by hand', () => {
    expect(rowsOf('Name,IP,Karte\nweb,192.0.2.1,00:00:5e:00:53:01\n', 'devices', { Karte: 'mac_address' })).toEqual([
      { name: 'web', addresses: [{ ip: '192.0.2.1', mac_address: '00:00:5e:00:53:01' }] },
    ])
  })

  test('many rows of one device take no longer each', () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `a,10.${i >> 16}.${(i >> 8) & 255}.${i & 255},t${i},c${i}`)
    const started = performance.now()
    expect(rowsOf(`Name,IP,Tags,Comment\n${lines.join('\n')}\n`)).toHaveLength(1)
    expect(performance.now() - started).toBeLessThan(20_000)
  })
})

describe('networks', () => {
  test.each([
    [
      'Subnet,VLAN,Description\n192.0.2.0/24,10,office\n',
      { name: '192.0.2.0/24', subnet: '192.0.2.0/24', vlan_id: 10, description: 'office' },
    ],
    [
      'site_name,lan_name,lan_subnet,lan_vlan\nParis,prod,192.0.2.0/24,7\n',
      { datacenter: 'Paris', name: 'prod', subnet: '192.0.2.0/24', vlan_id: 7 },
    ],
    ['Subnets\n192.0.2.0/24\n', { name: '192.0.2.0/24', subnet: '192.0.2.0/24' }],
    ['Network,Mask\n192.0.2.0,255.255.255.0\n', { name: '192.0.2.0/24', subnet: '192.0.2.0/24' }],
    ['Subnet,Prefix\n192.0.2.0,29\n', { name: '192.0.2.0/29', subnet: '192.0.2.0/29' }],
    ['ipnet,mask,name\n192.0.2.0/24,255.255.255.0,lan\n', { name: 'lan', subnet: '192.0.2.0/24' }],
    ['Name,IP Subnet Mask\nlan,192.0.2.0 255.255.255.0\n', { name: 'lan', subnet: '192.0.2.0/24' }],
    [
      'name,value,type\nlan,192.0.2.0/24,network\n',
      { name: 'lan', subnet: '192.0.2.0/24', description: 'type: network' },
    ],
    ['Sous-réseau;Masque;VLAN\n192.0.2.0;/25;VLAN 7\n', { name: '192.0.2.0/25', subnet: '192.0.2.0/25', vlan_id: 7 }],
    [
      'Prefix,Status,VRF,VLAN,ID\n192.0.2.0/24,Active,Blue,prod (100),3\n',
      {
        name: '192.0.2.0/24',
        subnet: '192.0.2.0/24',
        space: 'Blue',
        vlan_id: 100,
        description: 'Status: Active\nID: 3',
      },
    ],
  ] as const)('%j', (text, row) => {
    expect(rowsOf(text, 'networks')).toEqual([row])
  })

  test('a mask that is none is an error of its cell', () => {
    expect(read('Subnet,Mask\n192.0.2.0,255.0.255.0\n', 'networks').rejected).toEqual([
      { number: 2, column: 'Mask', value: '255.0.255.0', message: '192.0.2.0 and the mask 255.0.255.0 are no subnet' },
    ])
  })
})

test.each([
  ['true', true],
  ['Yes', true],
  ['1', true],
  ['x', true],
  ['ja', true],
  ['Oui', true],
  ['FALSE', false],
  ['no', false],
  ['0', false],
  ['nein', false],
  ['non', false],
  ['perhaps', 'perhaps'],
] as const)('%s is a boolean, or an error of its field', (cell, value) => {
  expect(rowsOf(`device,name,enabled,tagged_vlan_ids\nsw1,Gi1,${cell},"10;20, 30"\n`, 'ports')).toEqual([
    { device: 'sw1', name: 'Gi1', enabled: value, tagged_vlan_ids: [10, 20, 30] },
  ])
})

test.each(['192.0.2.0/24,London\n192.0.2.1/24,Paris\n', '192.0.2.2,admin,hunter2\n', '00:00:5e:00:53:01;192.0.2.1\n'])(
  'a sheet without a header is refused with its line, and shows no cell: %j',
  (text) => {
    const attempt = () => read(text)
    expect(attempt).toThrow(AppError)
    expect(attempt).toThrow('line 1: holds values; a line above the rows must name the columns')
  },
)
