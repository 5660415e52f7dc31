import { expect, test } from 'bun:test'
import { parsePortsInput, readPorts, toRows, withNames, writePorts } from './ports-text.ts'

const SHAPE = { kind: 'network', type: '1000base-t', pass_through: false } as const
const rows = toRows([{ ...SHAPE, name: 'Gi0/1' }])

test('ports are kept as a text, and sent without the keys of their rows', () => {
  expect(readPorts(writePorts(rows))).toEqual(rows)
  expect(parsePortsInput(writePorts(rows))).toEqual([{ ...SHAPE, name: 'Gi0/1' }])
})

test('no ports are an empty text, as in an unchanged form', () => {
  expect(writePorts([])).toBe('')
  expect(parsePortsInput('')).toEqual([])
})

test('names that a row has already, in any case, are not added again', () => {
  const added = withNames(rows, ['gi0/1', 'Gi0/2', 'Gi0/3'], SHAPE)
  expect(added.map(({ name }) => name)).toEqual(['Gi0/1', 'Gi0/2', 'Gi0/3'])
  expect(new Set(added.map(({ key }) => key)).size).toBe(3)
})
