/** Refuses objects of programs that look like a NetBox: Nautobot, and a NetBox before 2.11. */
import { createFileError } from '../../converter.ts'
import { CONTENT_TYPE } from './kinds.ts'
import type { NetboxSource } from './objects.ts'
import { createOldVersionError } from './old-version.ts'

/** Kinds that only Nautobot has. */
const NAUTOBOT = ['dcim.locationtype', 'extras.dynamicgroup', 'extras.gitrepository', 'extras.status']
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const isNautobot = ({ objects }: NetboxSource): boolean =>
  NAUTOBOT.some((kind) => objects.has(kind)) ||
  [...objects].some(([kind, [first]]) => /^(?:dcim|ipam)\./.test(kind) && UUID.test(String(first?.id)))

/** Before 2.11 a rack stood in a group of its site, and there was no location. Groups of racks came back in 4.6, without a site. */
const isBefore211 = ({ objects }: NetboxSource): boolean => {
  const types = (objects.get(CONTENT_TYPE) ?? []).filter(({ app_label }) => app_label === 'dcim')
  const hasType = (name: string) => types.some(({ model }) => model === name)
  const hasGroup = (objects.get('dcim.rackgroup') ?? []).some(({ site }) => site !== undefined)
  return hasGroup || (hasType('rackgroup') && !hasType('location'))
}

/** @throws AppError VALIDATION_ERROR on `file` */
export const checkProgram = (source: NetboxSource): void => {
  if (isNautobot(source)) throw createFileError('the file', 'is of Nautobot, which is not read')
  if (isBefore211(source)) throw createOldVersionError()
}
