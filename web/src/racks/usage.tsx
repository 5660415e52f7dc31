/** The use of space and of power of a rack, as meters. */
import { count, plural } from '../ui/format.ts'
import { Meter } from '../ui/primitives.tsx'
import type { RackUsage } from './fields.ts'

export const spaceOf = ({ used_units, total_units }: RackUsage): number =>
  total_units === 0 ? 0 : (used_units / total_units) * 100

/** @example powerText({ power_w: 2400, max_power_w: 5000 }) // '2,400 of 5,000 W' */
export const powerText = ({ power_w, max_power_w }: Pick<RackUsage, 'power_w' | 'max_power_w'>): string =>
  max_power_w === null ? `${count(power_w)} W` : `${count(power_w)} of ${count(max_power_w)} W`

/** @example spaceText(usage) // '30 of 42 units free, 12 together' */
export const spaceText = ({ free_units, total_units, largest_free_units }: RackUsage): string => {
  const text = `${free_units} of ${plural(total_units, 'unit')} free`
  return largest_free_units === free_units ? text : `${text}, ${largest_free_units} together`
}

type Props = { readonly usage: RackUsage; readonly name: string }

export const SpaceMeter = ({ usage, name }: Props) => <Meter value={spaceOf(usage)} label={`Units of ${name} in use`} />

/** Without a known maximum, the sum alone. */
export const PowerMeter = ({ usage, name }: Props) =>
  usage.power === null ? (
    <span className="num muted">{usage.power_w > 0 && powerText(usage)}</span>
  ) : (
    <Meter value={usage.power} label={`Power of ${name} in use`} />
  )
