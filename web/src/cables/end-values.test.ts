/** The ends of a cable in a form. */
import { describe, expect, test } from 'bun:test'
import { endErrors, endInput, readEnd, writeEnd } from './end-values.ts'

const END = { device_id: 'one', device: 'sw-1', port: 'Gi0/1', side: 'rear' } as const

test('an end keeps its parts as a text, and is sent by the name of its port', () => {
  expect(readEnd(writeEnd(END))).toEqual(END)
  expect(endInput(writeEnd(END))).toEqual({ device_id: 'one', port: 'Gi0/1', side: 'rear' })
})

test('an end without a device is sent without one', () => {
  expect(endInput('')).toEqual({ port: '', side: 'front' })
})

describe('the errors of an end stand at', () => {
  const none = readEnd('')
  test.each([
    ['its device', { 'a.device_id': 'there is no device' }, END, { device: 'there is no device' }],
    ['its device, if there is none', { 'a.port_id': 'is required' }, none, { device: 'Choose a device' }],
    ['its port', { 'a.port': 'is required' }, END, { port: 'is required' }],
    ['its port, if it has none', { 'a.port': 'is required' }, { ...END, port: ' ' }, { port: 'End A needs a port' }],
    ['its port, if the whole end is refused', { a: 'has a cable already' }, END, { port: 'has a cable already' }],
    ['its side', { 'a.side': 'is no pass-through port' }, END, { side: 'is no pass-through port' }],
    ['the other end, if they are of that', { 'b.port': 'is required', b: 'x' }, END, {}],
  ])('%s', (_, errors, value, wanted) => {
    const nothing = { device: undefined, port: undefined, side: undefined }
    expect(endErrors(errors, 'a', value)).toEqual({ ...nothing, ...wanted })
  })
})
