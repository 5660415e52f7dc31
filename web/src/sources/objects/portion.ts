/** The selected objects that one call names. Pure functions. */
import { INVENTORY, isResource } from '../../../../src/inventory/resources.ts'
import { formatCount } from '../../ui/format.ts'
import type { SourceObject } from './queries.ts'

/** The most objects that one call names. */
export const MOST_NAMED = 1000

const getRank = ({ resource }: SourceObject): number => (isResource(resource) ? INVENTORY.indexOf(resource) : -1)

/** Returns the objects of the next call. Objects come after the ones that they refer to. */
export const takePortion = (chosen: readonly SourceObject[]): readonly SourceObject[] =>
  chosen.length <= MOST_NAMED ? chosen : [...chosen].sort((a, b) => getRank(a) - getRank(b)).slice(0, MOST_NAMED)

/** @example formatPortion(1450) // '1,000 of 1,450' */
export const formatPortion = (count: number): string =>
  count <= MOST_NAMED ? formatCount(count) : `${formatCount(MOST_NAMED)} of ${formatCount(count)}`
