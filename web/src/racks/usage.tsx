/** The use of space and of power of a rack, as meters. */
import { formatCount, plural } from '../ui/format.ts'
import { Meter } from '../ui/primitives.tsx'
import type { RackUsage } from './fields.ts'

export const computeUsedPercent = ({ used_units, total_units }: RackUsage): number =>
  total_units === 0 ? 0 : (used_units / total_units) * 100

/** @example formatPower({ power_w: 2400, max_power_w: 5000 }) // '2,400 of 5,000 W' */
export const formatPower = ({ power_w, max_power_w }: Pick<RackUsage, 'power_w' | 'max_power_w'>): string =>
  max_power_w === null ? `${formatCount(power_w)} W` : `${formatCount(power_w)} of ${formatCount(max_power_w)} W`

/** @example formatSpace(usage) // '30 of 42 units free, 12 together' */
export const formatSpace = ({ free_units, total_units, largest_free_units }: RackUsage): string => {
  const text = `${free_units} of ${plural(total_units, 'unit')} free`
  return largest_free_units === free_units ? text : `${text}, ${largest_free_units} together`
}

type Props = { readonly usage: RackUsage; readonly name: string }

export const SpaceMeter = ({ usage, name }: Props) => (
  <Meter value={computeUsedPercent(usage)} label={`Units of ${name} in use`} />
)

/** Shows only the sum if the maximum is unknown. */
export const PowerMeter = ({ usage, name }: Props) =>
  usage.power === null ? (
    <span className="num muted">{usage.power_w > 0 && formatPower(usage)}</span>
  ) : (
    <Meter value={usage.power} label={`Power of ${name} in use`} />
  )
