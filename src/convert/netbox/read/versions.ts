/** The version of a NetBox, by its API or by the objects of a file. */
import { CONTENT_TYPE } from './kinds.ts'
import type { NetboxSource } from './objects.ts'

/** The newest known version. */
export const NEWEST = '4.7'

/** Returns the parts of a version that count. @example parseVersion('v4.7.3-beta1') // [4, 7] */
const parseVersion = (text: string | undefined): readonly [number, number] | undefined => {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(text ?? '') ?? []
  return major === undefined || minor === undefined ? undefined : [Number(major), Number(minor)]
}

const compareVersions = (a: readonly [number, number], b: readonly [number, number]): number =>
  a[0] - b[0] || a[1] - b[1]

/** True for a version that is newer than all known ones. */
export const isNewer = (version: string | undefined): boolean => {
  const [given, newest] = [parseVersion(version), parseVersion(NEWEST)]
  return given !== undefined && newest !== undefined && compareVersions(given, newest) > 0
}

/** Fields that objects lost in 4.1 or earlier. */
const OLD_FIELDS: readonly (readonly [kind: string, field: string])[] = [
  ['ipam.vlangroup', 'min_vid'],
  ['extras.customfield', 'content_types'],
  ['dcim.device', 'device_role'],
]

/** True for a NetBox in which disks are counted in megabytes. A file that shows no version counts as new. */
export const isSince41 = ({ version, objects }: NetboxSource): boolean => {
  const known = parseVersion(version)
  if (known) return compareVersions(known, [4, 1]) >= 0
  const types = objects.get(CONTENT_TYPE) ?? []
  if (types.some(({ app_label }) => app_label === 'circuits' || app_label === 'dcim'))
    return (
      types.some(({ model }) => model === 'circuitgroup') || !types.some(({ model }) => model === 'circuittermination')
    )
  return !OLD_FIELDS.some(([kind, field]) => objects.get(kind)?.some((object) => field in object))
}
