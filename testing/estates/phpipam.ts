/** A small estate in phpIPAM, as a mysqldump and as answers of its API. */

/** A text that no answer may hold. */
export const SECRET = 'pr1vate-c0mmunity'

type Row = Readonly<Record<string, string | number | null>>

/** The tables of the database with their rows. A missing column holds its default. */
export const TABLES: Readonly<Record<string, { readonly columns: readonly string[]; readonly rows: readonly Row[] }>> =
  {
    sections: {
      columns: ['id', 'name', 'description', 'permissions'],
      rows: [{ id: 1, name: 'Customers', description: 'mark-section', permissions: '{"3":"1"}' }],
    },
    customers: {
      columns: ['id', 'title', 'note', 'status', 'contact_person'],
      rows: [{ id: 1, title: 'Acme', note: 'mark-customer', status: 'Active', contact_person: 'mark-person' }],
    },
    circuitProviders: {
      columns: ['id', 'name', 'description', 'contact'],
      rows: [{ id: 1, name: 'Carrier', description: 'mark-provider', contact: 'mark-contact' }],
    },
    circuitTypes: { columns: ['id', 'ctname'], rows: [{ id: 1, ctname: 'Dark fiber' }] },
    circuits: {
      columns: [
        ...['id', 'cid', 'provider', 'type', 'capacity', 'status', 'device1', 'location1', 'device2', 'location2'],
        ...['comment', 'parent', 'customer_id', 'custom_order'],
      ],
      rows: [
        {
          ...{
            id: 1,
            cid: 'C-1',
            provider: 1,
            type: 1,
            capacity: '10 Gbps',
            status: 'Active',
            device1: 4,
            location2: 1,
          },
          ...{ comment: 'mark-circuit', parent: 0, customer_id: 1, custom_order: 'mark-order' },
        },
        { id: 2, cid: 'C-2', provider: 1, capacity: 'mark-capacity', status: 'Reserved', parent: 1 },
        { id: 3, cid: 'mark-orphan', provider: 9, status: 'Active', parent: 0 },
      ],
    },
    circuitsLogical: {
      columns: ['id', 'logical_cid', 'purpose', 'member_count'],
      rows: [
        { id: 1, logical_cid: 'L-1', purpose: 'mark-purpose', member_count: 2 },
        { id: 2, logical_cid: 'mark-empty', member_count: 0 },
      ],
    },
    circuitsLogicalMapping: {
      columns: ['circuit_id', 'logicalCircuit_id', 'order'],
      rows: [
        { logicalCircuit_id: 1, circuit_id: 2, order: 1 },
        { logicalCircuit_id: 1, circuit_id: 1, order: 0 },
      ],
    },
    nat: {
      columns: ['id', 'name', 'type', 'src', 'dst', 'src_port', 'dst_port', 'device', 'description', 'policy'],
      rows: [
        {
          ...{ id: 1, name: 'web', type: 'destination', src: '{"ipaddresses":["7"]}', dst: '{"ipaddresses":["1"]}' },
          ...{ src_port: 443, dst_port: 8443, device: 4, description: 'mark-nat', policy: 'No' },
        },
        { id: 2, name: 'out', type: 'source', src: '{"subnets":["2"]}', dst: '{"ipaddresses":["7"]}', policy: 'No' },
      ],
    },
    routing_bgp: {
      columns: [
        ...['id', 'local_as', 'local_address', 'peer_name', 'peer_as', 'peer_address', 'bgp_type', 'vrf_id'],
        ...['circuit_id', 'customer_id', 'description'],
      ],
      rows: [
        {
          ...{ id: 1, local_as: 64500, local_address: '10.40.1.2', peer_name: 'upstream', peer_as: 64501 },
          ...{ peer_address: '192.0.2.9', bgp_type: 'external', vrf_id: 1, circuit_id: 1, customer_id: 1 },
          description: 'mark-peer',
        },
      ],
    },
    routing_subnets: {
      columns: ['id', 'type', 'direction', 'object_id', 'subnet_id'],
      rows: [{ id: 1, type: 'bgp', direction: 'advertised', object_id: 1, subnet_id: 2 }],
    },
    locations: {
      columns: ['id', 'name', 'description', 'address', 'lat', 'long', 'custom_floor'],
      rows: [
        {
          id: 1,
          name: 'Amsterdam',
          description: 'mark-location',
          address: 'Street 1',
          lat: '52.37',
          custom_floor: '0',
        },
        { id: 2, name: 'Berlin' },
      ],
    },
    vlans: {
      columns: ['vlanId', 'domainId', 'name', 'number', 'description'],
      rows: [
        { vlanId: 3, domainId: 1, name: 'mark-vlan', number: 401, description: 'mark-vlan-text' },
        { vlanId: 4, domainId: 2, name: 'mark-storage', number: 402 },
        { vlanId: 5, domainId: 2, number: 402 },
        { vlanId: 6, domainId: 2, name: 'mark-no-number', number: 5000 },
      ],
    },
    vlanDomains: {
      columns: ['id', 'name', 'description'],
      rows: [
        { id: 1, name: 'default', description: 'mark-domain' },
        { id: 2, name: 'mark-fabric' },
      ],
    },
    vrf: { columns: ['vrfId', 'name', 'rd'], rows: [{ vrfId: 1, name: 'mark-vrf', rd: '65000:1' }] },
    ipTags: {
      columns: ['id', 'type'],
      rows: ['Offline', 'Used', 'Reserved', 'DHCP'].map((type, i) => ({ id: i + 1, type })),
    },
    deviceTypes: { columns: ['tid', 'tname'], rows: [{ tid: 1, tname: 'mark-type' }] },
    racks: { columns: ['id', 'name', 'size', 'location'], rows: [{ id: 1, name: 'mark-rack', size: 42, location: 1 }] },
    subnets: {
      columns: [
        ...['id', 'subnet', 'mask', 'sectionId', 'description', 'vrfId', 'masterSubnetId', 'vlanId', 'isFolder'],
        ...['state', 'location', 'pingSubnet', 'customer_id', 'custom_owner', 'custom_secret_key'],
      ],
      rows: [
        { id: 1, subnet: '0', mask: '', sectionId: 1, description: 'mark-folder', masterSubnetId: 0, isFolder: 1 },
        {
          ...{ id: 2, subnet: '170393856', mask: '24', sectionId: 1, description: 'web', vrfId: 1, masterSubnetId: 1 },
          ...{
            vlanId: 3,
            isFolder: 0,
            state: 2,
            location: 1,
            pingSubnet: 1,
            customer_id: 1,
            custom_owner: 'mark-owner',
          },
          custom_secret_key: SECRET,
        },
        { id: 3, subnet: '170393856', mask: '25', sectionId: 1, masterSubnetId: 2, isFolder: 0, state: 3 },
        { id: 4, subnet: '42540766411282592856903984951653826560', mask: '64', sectionId: 1, description: 'v6' },
      ],
    },
    devices: {
      columns: [
        ...['id', 'hostname', 'ip_addr', 'type', 'description', 'snmp_community', 'snmp_version', 'snmp_v3_auth_pass'],
        ...['rack', 'rack_start', 'location', 'custom_note'],
      ],
      rows: [
        {
          ...{ id: 4, hostname: 'SW-1.example.net', ip_addr: '10.40.1.2', type: 1, description: 'mark-device' },
          ...{ snmp_community: SECRET, snmp_version: '2', snmp_v3_auth_pass: SECRET, rack: 1, rack_start: 12 },
          ...{ location: 2, custom_note: 'it\'s a \\ "switch"\nwith two lines' },
        },
      ],
    },
    ipaddresses: {
      columns: [
        ...['id', 'subnetId', 'ip_addr', 'is_gateway', 'description', 'hostname', 'mac', 'owner', 'state', 'switch'],
        ...['location', 'port', 'note', 'lastSeen', 'custom_asset'],
      ],
      rows: [
        {
          ...{
            id: 1,
            subnetId: 2,
            ip_addr: '170393866',
            is_gateway: 0,
            description: 'mark-a1',
            hostname: 'Web-1',
            state: 2,
          },
          ...{ mac: '00:11:22:33:44:55', owner: 'mark-a1-owner', switch: 4, port: 'Gi0/1', note: 'mark-a1-note' },
          ...{ lastSeen: '2025-01-02 03:04:05', custom_asset: 'mark-a1-asset' },
        },
        {
          ...{ id: 2, subnetId: 4, ip_addr: '42540766411282592856903984951653826561', hostname: 'WEB-1', state: 1 },
          ...{ port: 'mark-a2-port' },
        },
        {
          ...{
            id: 3,
            subnetId: 2,
            ip_addr: '170393858',
            hostname: 'sw-1.example.net',
            state: 2,
            description: 'mark-a3',
          },
          ...{ switch: 4, port: 'mark-a3-port' },
        },
        { id: 4, subnetId: 2, ip_addr: '170393867', description: 'held', state: 3, note: 'mark-a4-note' },
        { id: 5, subnetId: 2, ip_addr: '170393868', state: 4, mac: '00:11:22:33:44:66' },
        { id: 6, subnetId: 2, ip_addr: '170393869', description: 'Gateway', state: 2, is_gateway: 1 },
        { id: 7, subnetId: 2, ip_addr: '170393870', state: 2 },
        { id: 8, subnetId: 2, ip_addr: '170394111', state: 3, description: 'mark-broadcast' },
        { id: 9, subnetId: 2, ip_addr: '170393866', state: 3, description: 'mark-taken' },
        { id: 10, subnetId: 99, ip_addr: '170393871', state: 3, description: 'mark-nowhere' },
      ],
    },
    requests: { columns: ['id', 'ip_addr', 'comment'], rows: [{ id: 1, ip_addr: '1', comment: 'mark-request' }] },
    users: { columns: ['id', 'username', 'password'], rows: [{ id: 1, username: 'Admin', password: SECRET }] },
    vaultItems: { columns: ['id', 'values'], rows: [{ id: 1, values: SECRET }] },
  }

const literal = (value: string | number | null | undefined): string => {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number') return String(value)
  const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `'${escaped}'`
}

/** @param isComplete writes the columns into each statement, as `--complete-insert` does */
export const mysqlDump = (isComplete = false): string => {
  const tables = Object.entries(TABLES).map(([table, { columns, rows }]) => {
    const names = columns.map((name) => `\`${name}\``)
    const definitions = names.map((name) => `  ${name} varchar(255) DEFAULT NULL COMMENT 'a, b) ('`)
    const values = rows.map((row) => `(${columns.map((name) => literal(row[name])).join(',')})`)
    return [
      `DROP TABLE IF EXISTS \`${table}\`;`,
      `/*!40101 SET character_set_client = utf8 */;`,
      `CREATE TABLE \`${table}\` (\n${definitions.join(',\n')},\n  PRIMARY KEY (${names[0]}),\n  KEY \`k\` (${names[1]}(10))\n) ENGINE=InnoDB;`,
      `LOCK TABLES \`${table}\` WRITE;`,
      `INSERT INTO \`${table}\`${isComplete ? ` (${names.join(', ')})` : ''} VALUES ${values.join(',')};`,
      'UNLOCK TABLES;',
    ].join('\n')
  })
  return `-- MySQL dump 10.13  Distrib 8.0.36\n--\n-- Host: localhost\n\n${tables.join('\n\n')}\n\n-- Dump completed on 2026-01-02  3:04:05\n`
}

const API_TABLES: Readonly<Record<string, string>> = { ipaddresses: 'addresses', vrf: 'vrfs' }
const API_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ipaddresses: { ip_addr: 'ip', state: 'tag', switch: 'deviceId' },
  devices: { ip_addr: 'ip' },
  subnets: { state: 'tag' },
  vlans: { vlanId: 'id' },
}

/** @param isEnveloped as answers of the API, else as plain lists */
export const apiJson = (isEnveloped = false): string => {
  const tables = Object.entries(TABLES).map(([table, { columns, rows }]) => {
    const data = rows.map((row) =>
      Object.fromEntries(columns.map((name) => [API_FIELDS[table]?.[name] ?? name, row[name] ?? null])),
    )
    return [API_TABLES[table] ?? table, isEnveloped ? { code: 200, success: true, data, time: 0.01 } : data]
  })
  return JSON.stringify(Object.fromEntries(tables))
}
