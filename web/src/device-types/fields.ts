/** The fields of a device type. */

import { FACTS } from '../../../src/inventory/resources.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import { buildFields, type ItemOf } from '../resource/facts/from-facts.ts'

export type DeviceType = ItemOf<(typeof FACTS)['device-types']>

/** A text that is no number is sent as it is typed, so that the server names the field. */
export const toNumberInput = (text: string): unknown => {
  const typed = text.trim()
  if (typed === '') return null
  return Number.isNaN(Number(typed)) ? typed : Number(typed)
}

export const fields = buildFields(FACTS['device-types'], {
  name: { isSearched: false, column: false, filter: false, isDetail: false },
  manufacturer: {
    form: { isHalf: true },
    column: { width: 170, isEssential: true },
    sort: ({ name }) => toSortKey(name),
  },
  model: { form: { isHalf: true }, column: { width: 220, isEssential: true }, filter: false },
  part_number: { form: { isHalf: true }, column: { width: 150, isMono: true }, filter: false },
  slug: { form: { isHalf: true, hint: 'Its name in the community library' }, column: false, filter: false },
  height: {
    label: 'Height in units',
    text: ({ height }) => `${height} U`,
    form: { kind: 'text', isHalf: true, isMono: true, hint: 'In halves; 0 goes in no unit', send: toNumberInput },
    column: { text: 'Height', width: 80 },
  },
  full_depth: {
    form: { isHalf: true, hint: 'It occupies both faces of a rack' },
    filter: { name: 'full' },
  },
  power_w: {
    label: 'Power in watts',
    text: ({ power_w }) => (power_w === null ? '' : `${power_w} W`),
    form: { kind: 'text', isMono: true, send: toNumberInput },
    column: { id: 'power', text: 'Power' },
  },
  ports: {
    text: ({ ports }) => String(ports.length),
    isSearched: false,
    column: { width: 80, isRight: true },
    sort: ({ ports }) => ports.length,
    filter: false,
  },
  description: { column: { width: 240 } },
})
