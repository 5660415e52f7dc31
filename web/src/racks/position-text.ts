/** Places in racks, in words. Pure. */

type Units = { readonly position: number | null; readonly height: number }

/** @example formatUnits({ position: 12, height: 2 }) // 'U12–13' */
export const formatUnits = ({ position, height }: Units): string => {
  if (position === null || height === 0) return 'in no unit'
  const last = position + height - 1
  // Half a unit, or units from half to half, are named by where they begin and end.
  return last <= position ? `U${position}` : `U${position}–${last}`
}

/** @example formatSlot('2/3') // 'slot 2 of 3' */
export const formatSlot = (slot: string): string => {
  const [k, n] = slot.split('/')
  return n === '1' ? '' : `slot ${k} of ${n}`
}

type Position = Units & { readonly face: string; readonly slot: string }

/** @example placeText({ position: 12, height: 2, face: 'front', slot: '1/2' }) // 'U12–13, front, slot 1 of 2' */
export const formatPosition = (place: Position): string =>
  [formatUnits(place), ...(place.position === null ? [] : [place.face, formatSlot(place.slot)])]
    .filter((part) => part !== '')
    .join(', ')
