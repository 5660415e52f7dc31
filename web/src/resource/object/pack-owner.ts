/** The packs and sources that own objects. They keep changes of users, other owners put them back. */

const PACK = /^pack\/(.+)@\d+$/

/** @example findPack('pack/circuits@1') // 'circuits' */
export const findPack = (owner: string): string | undefined => PACK.exec(owner)?.[1]

const SOURCE = /^source:(.+)$/

/** @example findSourceId('source:pve') // 'pve' */
export const findSourceId = (owner: string): string | undefined => SOURCE.exec(owner)?.[1]

/** Describes whether changes of an object with an owner last. */
export const describeOwner = (owner: string): string => {
  const pack = findPack(owner)
  if (findSourceId(owner) !== undefined) return 'Made by a source; your changes stay.'
  return pack === undefined
    ? `Managed by ${owner}: changes made here are put back by its next apply.`
    : `From the pack ${pack}; your changes stay.`
}
