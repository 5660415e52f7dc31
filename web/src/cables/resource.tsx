/** How cables are made, changed and deleted. */
import { FACTS } from '../../../src/inventory/resources.ts'
import { buildResource } from '../resource/build-resource.ts'
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

export const CABLE: Resource<Cable> = buildResource(FACTS.cables, fields, {
  isWide: true,
  order: ORDER,
  controls: { a: endControl('a'), b: endControl('b') },
  getName: formatCableName,
})
