/** How cables are made, changed and deleted. */
import { contracts } from '../api/contracts.ts'
import { buildCustomControl } from '../custom-fields/known-custom.tsx'
import { CHANGES } from '../ports/queries.ts'
import { createCrud } from '../resource/crud.ts'
import { buildFormFields } from '../resource/fields.ts'
import type { ControlInput, Resource } from '../resource/resource.ts'
import { EndField } from './end-field.tsx'
import { endInput, writeEnd } from './end-values.ts'
import { type Cable, type CableEnd, endText, fields } from './fields.ts'

const ORDER = ['a', 'b', 'label', 'type', 'length_m', 'color', 'status', 'description']

/** The ends never change. */
const endControl = (at: 'a' | 'b') => {
  const { label } = fields[at]
  return {
    label,
    isHalf: true,
    isShown: (_: unknown, isNew: boolean) => isNew,
    // The value of a cable.
    read: (end: unknown) => writeEnd(end as CableEnd),
    send: endInput,
    render: (input: ControlInput) => <EndField {...input} at={at} label={label} />,
  }
}

/** @example formatCableName(cable) // 'C-0042', or 'sw-1 Gi0/1 to web-1 eth0' */
export const formatCableName = ({ label, a, b }: Pick<Cable, 'label' | 'a' | 'b'>): string =>
  label === '' ? `${endText(a)} to ${endText(b)}` : label

export const DELETE_WARNING = 'Its ports stay, without a cable.'

export const CABLE: Resource<Cable> = {
  noun: 'cable',
  isWide: true,
  fields: buildFormFields(fields, ORDER, {
    a: endControl('a'),
    b: endControl('b'),
    custom: buildCustomControl('cables'),
  }),
  getName: formatCableName,
  ...createCrud(contracts.cables),
  changes: CHANGES,
}
