/** Writes a made-up NetBox as a plain `pg_dump`, with the columns and the usual lengths of version 4.6. */

const ADDRESSES_A_NETWORK = 200
const DEVICES_A_SITE = 200
const DEVICES_A_RACK = 40
const RACKS_A_SITE = DEVICES_A_SITE / DEVICES_A_RACK
const TIME = '2025-03-04 05:06:07.123456+00'

/** The rack of a device, in its site. */
const rackOf = (i: number, sites: number): number =>
  1 + (i % sites) * RACKS_A_SITE + Math.floor(i / sites / DEVICES_A_RACK)

/** The values of a row in the order of its columns; undefined for NULL. */
type Row = readonly (string | number | boolean | undefined)[]

const cell = (value: Row[number]): string =>
  value === undefined ? '\\N' : typeof value === 'boolean' ? (value ? 't' : 'f') : String(value)

function* block(table: string, columns: string, rows: Iterable<Row>): Generator<string> {
  yield `COPY public.${table} (created, last_updated, custom_field_data, id, ${columns}) FROM stdin;\n`
  let id = 0
  for (const row of rows) {
    id++
    yield `${TIME}\t${TIME}\t{"owner_team": "network", "cost_center": null}\t${id}\t${row.map(cell).join('\t')}\n`
  }
  yield '\\.\n\n'
}

function* rows(count: number, row: (i: number) => Row): Generator<Row> {
  for (let i = 0; i < count; i++) yield row(i)
}

const ip = (i: number): string => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`
const hex = (value: number): string => value.toString(16).padStart(2, '0')
const mac = (i: number): string => `00:11:22:${hex((i >> 16) & 255)}:${hex((i >> 8) & 255)}:${hex(i & 255)}`

const TYPES = [
  'dcim.device',
  'dcim.interface',
  'dcim.site',
  'dcim.macaddress',
  'ipam.prefix',
  'virtualization.vminterface',
]
const typeId = (kind: string) => TYPES.indexOf(kind) + 1

/** Yields the text of the dump. A third of the addresses is on no interface. */
export function* netboxDump(devices: number, interfaces: number, addresses: number): Generator<string> {
  const sites = Math.ceil(devices / DEVICES_A_SITE)
  const used = Math.floor((addresses * 2) / 3)
  const perDevice = Math.floor(interfaces / devices)
  yield `--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n\n`
  yield* block(
    'dcim_cable',
    'type, status, label, color, length, description, comments',
    rows(devices / 2, () => ['cat6', 'connected', '', '', undefined, '', '']),
  )
  yield* block(
    'dcim_cabletermination',
    'cable_end, termination_id, cable_id, termination_type_id, _device_id, _site_id',
    rows(devices - (devices % 2), (i) => [
      i % 2 ? 'B' : 'A',
      i * perDevice + 1,
      (i >> 1) + 1,
      typeId('dcim.interface'),
      i + 1,
      1,
    ]),
  )
  yield* block(
    'dcim_device',
    'local_context_data, name, _name, serial, asset_tag, "position", face, status, vc_position, vc_priority, comments, description, cluster_id, role_id, device_type_id, location_id, platform_id, primary_ip4_id, primary_ip6_id, rack_id, site_id, tenant_id, virtual_chassis_id, airflow, interface_count, latitude, longitude',
    rows(devices, (i) => [
      ...[
        undefined,
        `srv-${i}`,
        `srv-${i}`,
        `SN${i}`,
        `AT-${i}`,
        `${1 + (Math.floor(i / sites) % DEVICES_A_RACK)}.0`,
        'front',
        'active',
        undefined,
        undefined,
      ],
      ...['Bought in 2024, runs the build farm', '', undefined, 1 + (i % 4), 1 + (i % 4), undefined, 1 + (i % 4)],
      ...[i < used ? i + 1 : undefined, undefined, rackOf(i, sites), 1 + (i % sites), 1, undefined, '', perDevice],
      ...[undefined, undefined],
    ]),
  )
  const named = 'name, slug, description'
  for (const table of ['devicerole', 'manufacturer', 'platform'])
    yield* block(
      `dcim_${table}`,
      named,
      rows(4, (i) => [`${table} ${i}`, `${table}-${i}`, '']),
    )
  yield* block(
    'dcim_devicetype',
    'model, slug, u_height, manufacturer_id',
    rows(4, (i) => [`R7${i}0`, `r7${i}0`, '1.0', i + 1]),
  )
  yield* block(
    'dcim_interface',
    'name, label, description, cable_end, mark_connected, enabled, mtu, mode, _name, type, mgmt_only, speed, duplex, wwn, rf_role, rf_channel, rf_channel_frequency, rf_channel_width, tx_power, poe_mode, poe_type, _path_id, bridge_id, cable_id, device_id, lag_id, module_id, parent_id, untagged_vlan_id, vrf_id, wireless_link_id, primary_mac_address_id',
    rows(interfaces, (i) => {
      const name = `GigabitEthernet0/${i % perDevice}`
      return [
        ...[name, '', 'to the rack switch', undefined, false, true, 1500, 'access', `0000${name}`, '1000base-t', false],
        ...[1_000_000, 'full', undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined],
        ...[undefined, undefined, undefined, Math.floor(i / perDevice) + 1, undefined, undefined, undefined, undefined],
        ...[undefined, undefined, i + 1],
      ]
    }),
  )
  yield* block(
    'dcim_macaddress',
    'description, comments, mac_address, assigned_object_id, assigned_object_type_id',
    rows(interfaces, (i) => ['', '', mac(i), i + 1, typeId('dcim.interface')]),
  )
  yield* block(
    'dcim_rack',
    'name, status, u_height, site_id',
    rows(sites * RACKS_A_SITE, (i) => [`R${i}`, 'active', 42, Math.floor(i / RACKS_A_SITE) + 1]),
  )
  yield* block(
    'dcim_site',
    'name, slug, status, facility, physical_address, description',
    rows(sites, (i) => [`Site ${i}`, `site-${i}`, 'active', '', `Street ${i}\\n12345 City`, '']),
  )
  yield 'COPY public.django_content_type (id, app_label, model) FROM stdin;\n'
  for (const kind of TYPES) yield `${typeId(kind)}\t${kind.replace('.', '\t')}\n`
  yield '\\.\n\n'
  yield* block(
    'ipam_ipaddress',
    'address, status, role, assigned_object_id, dns_name, description, comments, assigned_object_type_id, nat_inside_id, tenant_id, vrf_id',
    rows(addresses, (i) => {
      const isUsed = i < used
      const at = `${ip((Math.floor(i / ADDRESSES_A_NETWORK) << 8) + 1 + (i % ADDRESSES_A_NETWORK))}/24`
      const on = (i % devices) * perDevice + 1 + (Math.floor(i / devices) % perDevice)
      return [
        ...[at, isUsed ? 'active' : 'reserved', '', isUsed ? on : undefined, isUsed ? `srv-${i}.example.net` : ''],
        ...[isUsed ? '' : 'held for a project', '', isUsed ? typeId('dcim.interface') : undefined],
        ...[undefined, undefined, undefined],
      ]
    }),
  )
  yield* block(
    'ipam_prefix',
    'prefix, status, is_pool, mark_utilized, description, comments, scope_id, scope_type_id, vlan_id, vrf_id, tenant_id, role_id',
    rows(Math.ceil(addresses / ADDRESSES_A_NETWORK), (i) => [
      ...[`${ip(i << 8)}/24`, 'active', false, false, `network ${i}`, '', 1 + (i % sites), typeId('dcim.site')],
      ...[undefined, undefined, undefined, undefined],
    ]),
  )
  yield* block(
    'tenancy_tenant',
    named,
    rows(1, () => ['Acme', 'acme', '']),
  )
  yield '--\n-- PostgreSQL database dump complete\n--\n'
}
