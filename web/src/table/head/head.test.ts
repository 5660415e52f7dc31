import { describe, expect, test } from 'bun:test'
import { limitWidth, parseLooks } from './look.ts'
import { buildTemplate, computeLeast } from './template.ts'

const columns = [
  { id: 'name', text: 'Name', width: 200 },
  { id: 'vlan', text: 'Untagged', width: 50, least: 80 },
  { id: 'actions', text: 'Actions', width: 64, isHeadHidden: true },
]
const options = { hasChecks: true, isNarrow: false, widths: {} }

describe('the widths of columns', () => {
  test('columns share the window in proportion, and shrink before the table scrolls; buttons do not', () => {
    expect(buildTemplate(columns, options)).toBe('40px minmax(90px, 200fr) minmax(80px, 50fr) 64px')
    expect(computeLeast(columns, options)).toBe(40 + 90 + 80 + 64)
  })

  test('a column stays as wide as its head, and as the least width that it names', () => {
    const wide = { id: 'place', text: 'Datacenter', width: 98 }
    expect(buildTemplate([wide, { ...wide, least: 120 }], { ...options, hasChecks: false })).toBe(
      'minmax(88px, 98fr) minmax(120px, 98fr)',
    )
  })

  test('a chosen width is kept as long as there is room', () => {
    const chosen = { ...options, widths: { name: 300, vlan: 44 } }
    expect(buildTemplate(columns, chosen)).toBe('40px minmax(90px, 300px) minmax(44px, 44px) 64px')
    expect(computeLeast(columns, chosen)).toBe(40 + 90 + 44 + 64)
  })

  test('a phone shows its columns without scrolling, whatever was chosen', () => {
    const narrow = { hasChecks: false, isNarrow: true, widths: { name: 300 } }
    expect(buildTemplate(columns, narrow)).toBe('minmax(0, 200fr) minmax(0, 50fr) 64px')
    expect(computeLeast(columns, narrow)).toBe(0)
  })

  test('a width is a whole number between 40 and 1200', () => {
    expect([-5, 39.6, 100.4, 5000].map(limitWidth)).toEqual([40, 40, 100, 1200])
  })

  test('a stored value of any shape is read, and what is no width is dropped', () => {
    expect(parseLooks(null)).toEqual({})
    expect(parseLooks([1])).toEqual({})
    expect(parseLooks({ Devices: 7, Pools: { cols: 3, widths: [] } })).toEqual({
      Devices: {},
      Pools: { widths: {} },
    })
    expect(parseLooks({ Devices: { cols: 'name,model', widths: { name: 1e9, model: 'x', os: 90.2 } } })).toEqual({
      Devices: { cols: 'name,model', widths: { name: 1200, os: 90 } },
    })
  })
})
