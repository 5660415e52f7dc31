/** Which rows of a source are taken, and where they are put. */
import { describe, expect, test } from 'bun:test'
import type { Fields } from '../../resource/custom/definitions.ts'
import { FetchError } from '../fetch/fetch-error.ts'
import { type Converted, readRows } from './read-rows.ts'

const SETTINGS = {
  ...{ include: [], exclude: [], datacenter_id: null, space_id: null, places: [], tags: [], custom: {}, ref: 'src' },
}
const device = (key: string, more: object = {}) => ({ name: `name-${key}`, refs: { src: key }, ...more })
const CONVERTED: Converted = {
  documents: {
    devices: [device('a', { tags: ['prod'], addresses: [{ ip: '192.0.2.1' }] }), device('b')],
    ports: [
      { device: { ref: 'src:a' }, name: 'eth0' },
      { device: { ref: 'src:b' }, name: 'eth0' },
    ],
    relationships: [{ parent: { ref: 'src:a' }, type: 'contains', child: { ref: 'src:b' } }],
    networks: [{ name: 'lan', subnet: '192.0.2.0/24', refs: { src: 'net' } }],
  },
  about: {
    'devices a': { type: 'host', place: 'DC1/One', facts: { memory_mib: '2048', power: 'on' } },
    'devices b': { type: 'vm', place: 'DC2', macs: ['52:54:00:00:00:01'] },
  },
}
const NO_FIELDS: Fields = new Map()
const read = (settings: object, converted = CONVERTED, fields = NO_FIELDS) =>
  readRows(
    converted,
    { ...SETTINGS, ...settings },
    { fields, findAddresses: async (macs) => macs.map((mac_address) => ({ ip: '192.0.2.77', mac_address })) },
  )
const listKeys = async (settings: object) =>
  (await read(settings)).said.map(({ resource, key }) => `${resource} ${key}`)
const readRow = async (settings: object, key: string) => {
  const { said } = await read(settings)
  return JSON.parse(said.find((one) => one.key === key)?.row ?? '{}')
}

describe('the rows of a source', () => {
  test('have a key each', async () => {
    expect(await listKeys({})).toEqual([
      ...['devices a', 'devices b', 'ports a eth0', 'ports b eth0'],
      ...['relationships a contains b', 'networks net'],
    ])
  })

  test.each([
    [{ include: ['NAME-a'] }, ['devices a', 'ports a eth0']],
    [{ include: ['tag:pr*'] }, ['devices a', 'ports a eth0']],
    [{ exclude: ['type:vm', 'type:network'] }, ['devices a', 'ports a eth0']],
    [{ include: ['place:DC2'] }, ['devices b', 'ports b eth0']],
    [{ include: ['*'], exclude: ['name-*'] }, ['networks net']],
  ])('%j filters devices with their ports and relationships', async (settings, keys) => {
    expect(await listKeys(settings)).toEqual(keys)
  })

  test('have names, and a relationship those of its devices', async () => {
    expect((await read({})).said.map(({ name }) => name)).toEqual([
      ...['name-a', 'name-b', 'eth0', 'eth0', 'name-a contains name-b', 'lan'],
    ])
  })

  test('the types are counted before filters', async () => {
    expect([...(await read({ exclude: ['*'] })).types]).toEqual(['host', 'vm', 'network'])
  })

  test('are put where the first matching place says, else where the source says', async () => {
    const settings = {
      datacenter_id: 'usual',
      space_id: 'lab',
      places: [{ match: 'dc1/*', datacenter_id: 'one', space_id: null }],
    }
    expect(await readRow(settings, 'a')).toMatchObject({
      datacenter: { id: 'one' },
      addresses: [{ ip: '192.0.2.1', space: { id: 'lab' } }],
    })
    expect(await readRow(settings, 'net')).toMatchObject({ datacenter: { id: 'usual' }, space: { id: 'lab' } })
  })

  test('a device without addresses has those that discovery sees at its MAC', async () => {
    expect((await readRow({}, 'b')).addresses).toEqual([{ ip: '192.0.2.77', mac_address: '52:54:00:00:00:01' }])
  })

  test('get the tags of the source, and facts as custom values', async () => {
    const field = {
      type: 'integer',
      multiple: false,
      choices: [],
      pattern: '',
      minimum: null,
      maximum: null,
      reference_to: null,
    }
    // Only the parts of a definition that decide about values.
    const fields = new Map([
      ['memory', field],
      ['state', field],
    ]) as unknown as Fields
    const settings = { tags: ['seen'], custom: { memory_mib: 'memory', power: 'state' } }
    const { said, warnings } = await read(settings, CONVERTED, fields)
    expect(JSON.parse(said[0]?.row ?? '{}')).toMatchObject({ tags: ['prod', 'seen'], custom: { memory: 2048 } })
    expect(warnings.map(({ message }) => message)).toEqual([
      'a: the fact power does not fit the custom field state: it must be a whole number',
    ])
  })

  test('of one key are refused', async () => {
    const twice = { documents: { devices: [device('a'), device('a')] }, about: {} }
    expect(read({}, twice)).rejects.toThrow(FetchError)
  })

  test('of a device that is known in part are not missing', async () => {
    const part = { ...CONVERTED, about: { 'devices gone': { type: 'vm', isPartial: true as const } } }
    const { isUnknown, types } = await read({}, part)
    const port = JSON.stringify({ device: { ref: 'src:gone' }, name: 'eth0' })
    expect(isUnknown({ resource: 'devices', key: 'gone', row: '{}' })).toBe(true)
    expect(isUnknown({ resource: 'ports', key: 'gone eth0', row: port })).toBe(true)
    expect(isUnknown({ resource: 'devices', key: 'a', row: '{}' })).toBe(false)
    expect(types.has('vm')).toBe(true)
  })
})
