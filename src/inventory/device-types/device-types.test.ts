// The rules of device types: the fields that devices take over, the ports that apply adds, and the YAML of the community library.
import { describe, expect, test } from 'bun:test'
import { alreadyExists, fieldsOf, inventory, missing } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Device } from '../devices/schema.ts'
import type { DeviceType, ImportedType } from './api.ts'

const SWITCH = `---
manufacturer: Acme
model: SW-2
slug: acme-sw-2
part_number: SW-2-AC
u_height: 0.5
is_full_depth: false
airflow: front-to-rear
weight: 3.2
weight_unit: kg
console-ports:
  - name: Console
    type: rj-45
interfaces:
  - name: Gi0/10
    type: 1000base-t
  - name: Gi0/2
    type: 1000base-t
power-ports:
  - name: PSU1
    type: iec-60320-c14
    maximum_draw: 40
  - name: PSU2
    maximum_draw: 60
module-bays:
  - name: Slot 1
`
const PANEL = `---
manufacturer: Acme
model: Panel
u_height: 1
front-ports:
  - name: F1
    type: lc
    rear_port: R1
rear-ports:
  - name: R1
    type: lc
  - name: R2
    type: mpo
`

describe.each(onSqlite())('device types on %s', (dialect) => {
  const inv = inventory(dialect)
  const make = (body: object) => inv.ask('POST /api/device-types', body)
  const typeOf = async (body: object): Promise<DeviceType> => (await make(body)).body as DeviceType
  const importing = (yaml: string) => inv.ask('POST /api/device-types/import', { yaml })
  type Imported = { created: number; updated: number; unchanged: number; device_types: ImportedType[] }
  const portsOf = async (deviceId: string) =>
    ((await inv.ask(`GET /api/devices/${deviceId}/ports`)).body as { name: string; kind: string }[]).map(
      ({ name }) => name,
    )

  test('are created with defaults, read, changed and deleted', async () => {
    const made = await make({
      id: 't-crud',
      manufacturer: ' Acme ',
      model: 'X1',
      ports: [{ name: 'e10' }, { name: 'e2' }],
    })
    const port = { kind: 'network', type: '', pass_through: false }
    const stored = {
      ...{ id: 't-crud', name: 'Acme X1', manufacturer: 'Acme', model: 'X1', slug: '', part_number: '', height: 1 },
      ...{ full_depth: true, power_w: null, description: '' },
      ports: [
        { name: 'e2', ...port },
        { name: 'e10', ...port },
      ],
      ...{ refs: {}, managed_by: '', created_at: inv.now(), updated_at: inv.now() },
    }
    expect({ status: made.status, text: JSON.stringify(made.body) }).toEqual({
      status: 201,
      text: JSON.stringify(stored),
    })
    expect(await inv.ask('PUT /api/device-types/t-crud', { model: 'X2', height: 2.5 })).toMatchObject({
      status: 200,
      body: { name: 'Acme X2', height: 2.5 },
    })
    expect(await make({ manufacturer: 'ACME', model: 'x2' })).toMatchObject(alreadyExists)
    expect((await inv.api.deviceTypes.list({ name: 'x2' })).map(({ id }) => id)).toEqual(['t-crud'])
    expect((await inv.ask('DELETE /api/device-types/t-crud')).status).toBe(204)
    expect(await inv.ask('GET /api/device-types/t-crud')).toMatchObject(missing)
  })

  test('are refused with the field that is bad', async () => {
    for (const [body, field] of [
      [{ manufacturer: 'x', model: 'y', ports: [{ name: 'a' }, { name: 'A' }] }, 'ports[1].name'],
      [{ manufacturer: 'x', model: 'y', ports: [{ name: 'a', kind: 'usb' }] }, 'ports[0].kind'],
    ] as const)
      expect(fieldsOf(await make(body))).toEqual([field])
    expect(fieldsOf(await inv.ask('POST /api/devices', { name: 'd', device_type_id: 'none' }))).toEqual([
      'device_type_id',
    ])
  })

  test('give a new device the model, the ports and the size, and a changed device none of them', async () => {
    const type = await typeOf({
      manufacturer: 'Acme',
      model: 'Give',
      height: 2,
      full_depth: false,
      power_w: 90,
      ports: [{ name: 'p1' }],
    })
    const { id: rack_id } = await inv.api.racks.create({ name: 'r' })
    const create = async (body: object) => (await inv.ask('POST /api/devices', { name: 'd', ...body })).body as Device
    const made = await create({ device_type_id: type.id, mount: { rack_id, position: 5 } })
    expect(made).toMatchObject({ make_model: 'Acme Give', device_type_id: type.id })
    expect(made.mount).toMatchObject({ height: 2, full_depth: false, power_w: 90 })
    expect(await portsOf(made.id)).toEqual(['p1'])
    expect((await create({ device_type_id: type.id, make_model: 'Own' })).make_model).toBe('Own')

    const plain = await create({})
    expect(Object.hasOwn(plain, 'device_type_id')).toBe(false)
    await inv.ask(`PUT /api/devices/${plain.id}`, { device_type_id: type.id })
    expect([(await inv.api.devices.get({ id: plain.id })).make_model, await portsOf(plain.id)]).toEqual(['', []])
    expect((await inv.api.devices.list({ device_type_id: type.id })).length).toBe(3)
  })

  test('leave their devices and the ports when they are deleted', async () => {
    const type = await typeOf({ manufacturer: 'Acme', model: 'Gone', ports: [{ name: 'p1' }] })
    const { id } = (await inv.ask('POST /api/devices', { name: 'stays', device_type_id: type.id })).body as Device
    await inv.api.deviceTypes.delete({ id: type.id })
    expect(Object.hasOwn(await inv.api.devices.get({ id }), 'device_type_id')).toBe(false)
    expect(await portsOf(id)).toEqual(['p1'])
  })

  test('of height 0 go in no unit', async () => {
    const type = await typeOf({ manufacturer: 'Acme', model: 'PDU', height: 0 })
    const { id: rack_id } = await inv.api.racks.create({ name: 'r0' })
    const put = (mount: object) => inv.ask('POST /api/devices', { name: 'pdu', device_type_id: type.id, mount })
    expect(fieldsOf(await put({ rack_id, position: 1 }))).toEqual(['mount.position'])
    expect(await put({ rack_id })).toMatchObject({ status: 201, body: { mount: { height: 0, position: null } } })
  })

  test('apply adds the ports that devices lack, and changes and removes none', async () => {
    const type = await typeOf({ manufacturer: 'Acme', model: 'Apply', ports: [{ name: 'a' }] })
    const create = async (name: string) =>
      (await inv.ask('POST /api/devices', { name, device_type_id: type.id })).body as Device
    const [one, two] = [await create('one'), await create('two')]
    await inv.api.deviceTypes.update({ id: type.id, ports: [{ name: 'A', kind: 'power' }, { name: 'b' }] })
    const apply = (body: object) => inv.ask(`POST /api/device-types/${type.id}/apply`, body)
    expect(await apply({ dry_run: true })).toMatchObject({ status: 200, body: { devices: 2, ports_added: 2 } })
    expect(await portsOf(one.id)).toEqual(['a'])
    expect(await apply({ device_ids: [one.id] })).toMatchObject({ status: 200, body: { devices: 1, ports_added: 1 } })
    expect([await portsOf(one.id), await portsOf(two.id)]).toEqual([['a', 'b'], ['a']])
    expect(await apply({})).toMatchObject({ body: { devices: 1, ports_added: 1 } })
    expect(await apply({})).toMatchObject({ body: { devices: 0, ports_added: 0 } })
    expect(fieldsOf(await apply({ device_ids: [one.id, 'none'] }))).toEqual(['device_ids[1]'])
  })

  test('apply adds the ports of many devices', async () => {
    const type = await typeOf({ manufacturer: 'Acme', model: 'Large' })
    const device = { name: 'large', device_type_id: type.id }
    await inv.ask('POST /api/devices/bulk', { operations: Array(25).fill({ op: 'create', device }) })
    await inv.api.deviceTypes.update({ id: type.id, ports: Array.from({ length: 90 }, (_, i) => ({ name: `p${i}` })) })
    const apply = () => inv.ask(`POST /api/device-types/${type.id}/apply`)
    expect(await apply()).toMatchObject({ status: 200, body: { devices: 25, ports_added: 2250 } })
    expect(await apply()).toMatchObject({ status: 200, body: { devices: 0, ports_added: 0 } })
  })

  test('are imported from the library, and a second import changes nothing', async () => {
    const first = (await importing(SWITCH + PANEL)).body as Imported
    expect([first.created, first.device_types.map(({ ignored }) => ignored)]).toEqual([
      2,
      [['airflow', 'weight', 'weight_unit', 'module-bays'], []],
    ])
    const [sw] = await inv.api.deviceTypes.list({ name: 'sw-2' })
    expect(sw).toMatchObject({
      slug: 'acme-sw-2',
      part_number: 'SW-2-AC',
      height: 0.5,
      full_depth: false,
      power_w: 100,
    })
    expect(sw?.ports.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      ...['Console console', 'Gi0/2 network', 'Gi0/10 network', 'PSU1 power', 'PSU2 power'],
    ])
    const [panel] = await inv.api.deviceTypes.list({ name: 'acme panel' })
    expect(panel?.ports).toEqual([
      { name: 'F1', kind: 'network', type: 'lc', pass_through: true },
      { name: 'R2', kind: 'network', type: 'mpo', pass_through: true },
    ])
    expect((await importing(SWITCH + PANEL)).body).toMatchObject({ created: 0, updated: 0, unchanged: 2 })
    expect((await importing(SWITCH.replace('0.5', '1'))).body).toMatchObject({ updated: 1 })
  })

  test('have one port for the two sides of a panel, in the format of NetBox 4.5 too', async () => {
    const ports = (name: string, count: number) =>
      `${name}:\n${Array.from({ length: count }, (_, i) => `  - name: 0${i + 1}\n    type: 8p8c\n`).join('')}`
    const mapped = (front: string, rear: string) =>
      `  - front_port: ${front}\n    rear_port: ${rear}\n    rear_port_position: 1\n`
    const yaml =
      `manufacturer: Acme\nmodel: Mapped\nslug: mapped\n${ports('front-ports', 2)}${ports('rear-ports', 3)}` +
      `port-mappings:\n${mapped('01', '01')}${mapped('02', '02')}${mapped('none', '03')}`
    const { device_types } = (await importing(yaml)).body as Imported
    expect(device_types[0]?.ignored).toEqual([])
    const type = await inv.api.deviceTypes.get({ id: device_types[0]?.id ?? '' })
    expect(type.ports.map(({ name, pass_through }) => [name, pass_through])).toEqual([
      ['01', true],
      ['02', true],
      ['03', true],
    ])
  })

  test('keep names that look like numbers as they are written', async () => {
    const yaml =
      'manufacturer: 3\nmodel: 1.10\nslug: 3-1\npart_number: 0012\ninterfaces:\n  - name: 08\n  - name: 1e3\n'
    const { device_types } = (await importing(yaml)).body as Imported
    expect(device_types.map(({ name }) => name)).toEqual(['3 1.10'])
    const type = await inv.api.deviceTypes.get({ id: device_types[0]?.id ?? '' })
    expect([type.part_number, type.ports.map(({ name }) => name)]).toEqual(['0012', ['1e3', '08']])
  })

  test('of one name in two documents are one, which has the fields of the last', async () => {
    const yaml = 'manufacturer: Acme\nmodel: Twice\n---\nmanufacturer: ACME\nmodel: twice\nu_height: 3\n...\n'
    const { created, updated, device_types } = (await importing(yaml)).body as Imported
    expect([created, updated, new Set(device_types.map(({ id }) => id)).size]).toEqual([1, 1, 1])
    expect(await inv.api.deviceTypes.list({ name: 'twice' })).toMatchObject([{ name: 'ACME twice', height: 3 }])
  })

  test('are read without holding up other requests, however many they are', async () => {
    const yaml = Array.from({ length: 300 }, (_, i) => SWITCH.replaceAll('SW-2', `Many ${i}`)).join('')
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    expect((await importing(yaml)).body).toMatchObject({ created: 300 })
    clearInterval(timer)
    expect(turns).toBeGreaterThan(10)
  })

  test('of a bad document are refused with its number, and none is imported', async () => {
    for (const [yaml, message] of [
      [`${SWITCH.replace('SW-2', 'New')}---\nmodel: y\n`, 'document 2: manufacturer'],
      ['manufacturer: [', 'document 1, line 1: '],
      ['- a\n', 'document 1: must be a mapping'],
      ['manufacturer: a\nmodel: b\nu_height: 0.3\n', 'document 1: u_height'],
      ['manufacturer: a\nmodel: b\nslug: b\ninterfaces: {}\n', 'interfaces must be a list'],
      ['a: &x [1]\nmanufacturer: b\nmodel: c\nbays: *x\n', 'has an alias'],
      ['manufacturer: a\nmodel: b\nslug: b\npower-ports:\n  - name: p\n    maximum_draw: lots\n', 'maximum_draw'],
      ['# nothing\n---\n...\n', 'is empty'],
      ['manufacturer: a\nmodel: b\nmodel: c\n', 'has the key "model" twice'],
      ['? [a]\n: 1\nmanufacturer: a\n', 'has a key that is a list or a mapping'],
      [`${PANEL}---\nmanufacturer: a\nmodel: "b\n`, 'document 2, line 4: '],
      [`x: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n`, 'is nested too deep'],
      [`manufacturer: a\nmodel: b\ncomments: ${'x'.repeat(300_000)}\n`, 'has more than 262144 characters'],
      [
        `manufacturer: a\nmodel: b\nslug: b\ninterfaces:\n${'  - name: x\n'.repeat(2001)}`,
        'has 2001 ports; 2000 are allowed',
      ],
      [`manufacturer: a\nmodel: b\nslug: b\nrear-ports:\n  - name: ${'x'.repeat(65)}\n`, 'rear-ports[0].name'],
    ] as const) {
      const answer = await importing(yaml)
      expect([yaml, fieldsOf(answer)]).toEqual([yaml, ['yaml']])
      expect((answer.body as { details: { message: string }[] }).details[0]?.message).toContain(message)
    }
    expect(await inv.api.deviceTypes.list({ name: 'new' })).toEqual([])
  })

  test('of one manufacturer and model are made by one of many callers at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => make({ manufacturer: 'Acme', model: 'Once' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    const yaml = SWITCH.replaceAll('SW-2', 'Once imported') + PANEL.replace('model: Panel', 'model: Once panel')
    const imports = await Promise.all(Array.from({ length: 5 }, () => importing(yaml)))
    expect(imports.map(({ body }) => (body as Imported).created).sort()).toEqual([0, 0, 0, 0, 2])
  })

  test('are imported by a caller who may create and update them', async () => {
    const one = await inv.app.as(['device-types:create'])
    expect((await one.request('POST', '/api/device-types/import', { yaml: PANEL })).status).toBe(403)
  })

  test('device types that an undo restores keep their devices with the ports of before', async () => {
    const type = await typeOf({ manufacturer: 'Acme', model: 'Undo', ports: [{ name: 'p1' }] })
    const { id } = (await inv.ask('POST /api/devices', { name: 'undo', device_type_id: type.id })).body as Device
    await inv.api.devices.delete({ id })
    const [change] = await inv.api.history.list({ operation: 'devices.delete', limit: 1 })
    expect((await inv.ask(`POST /api/history/${change?.id}/undo`, {})).status).toBe(200)
    expect(await portsOf(id)).toEqual(['p1'])
  })
})
