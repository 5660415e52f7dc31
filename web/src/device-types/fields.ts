/** The fields of a device type. */
import type { Contracts, Out } from '../api/contracts.ts'
import { type Fields, ID_FIELD, MANAGED_BY_FIELD, REFS_FIELD, TIME_FIELDS } from '../resource/fields.ts'

export type DeviceType = Out<Contracts['deviceTypes']['get']>

/** A text that is no number is sent as it is typed, so that the server names the field. */
export const toNumberInput = (text: string): unknown => {
  const typed = text.trim()
  if (typed === '') return null
  return Number.isNaN(Number(typed)) ? typed : Number(typed)
}

export const YES_NO = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const

export const fields: Fields<DeviceType> = {
  id: ID_FIELD,
  name: { label: 'Name', isSearched: false, form: false, column: false, filter: false, isDetail: false },
  manufacturer: {
    label: 'Manufacturer',
    form: { isRequired: true, isHalf: true },
    column: { width: 170, isEssential: true },
    sort: ({ name }) => name.toLowerCase(),
    filter: { hasFacet: true },
  },
  model: {
    label: 'Model',
    form: { isRequired: true, isHalf: true },
    column: { width: 220, isEssential: true },
    filter: false,
  },
  part_number: { label: 'Part number', form: { isHalf: true }, column: { width: 150, isMono: true }, filter: false },
  slug: {
    label: 'Slug',
    form: { isHalf: true, hint: 'Its name in the community library' },
    column: false,
    filter: false,
  },
  height: {
    label: 'Height in units',
    text: ({ height }) => `${height} U`,
    isSearched: false,
    form: { isHalf: true, initial: '1', isMono: true, hint: 'In halves; 0 goes in no unit', send: toNumberInput },
    column: { text: 'Height', width: 80, isRight: true },
    sort: ({ height }) => height,
    filter: false,
    cell: 'number',
  },
  full_depth: {
    label: 'Full depth',
    text: ({ full_depth }) => (full_depth ? 'yes' : 'no'),
    isSearched: false,
    form: {
      kind: 'select',
      isHalf: true,
      initial: 'true',
      options: YES_NO,
      hint: 'It occupies both faces of a rack',
      send: (text) => text === 'true',
    },
    column: { width: 100 },
    filter: { name: 'full', test: 'equals' },
  },
  power_w: {
    label: 'Power in watts',
    text: ({ power_w }) => (power_w === null ? '' : `${power_w} W`),
    isSearched: false,
    form: { isMono: true, send: toNumberInput },
    column: { id: 'power', text: 'Power', width: 90, isRight: true },
    sort: ({ power_w }) => power_w ?? -1,
    filter: false,
    cell: 'number',
  },
  ports: {
    label: 'Ports',
    text: ({ ports }) => String(ports.length),
    isSearched: false,
    column: { width: 80, isRight: true },
    sort: ({ ports }) => ports.length,
    filter: false,
    cell: 'record',
  },
  description: { label: 'Description', form: { kind: 'area' }, column: { width: 240 }, sort: false, filter: false },
  refs: REFS_FIELD,
  managed_by: MANAGED_BY_FIELD,
  ...TIME_FIELDS,
}
