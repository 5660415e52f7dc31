/** Refuses a NetBox before 2.11 by its racks. */
import { createFileError } from '../../converter.ts'

export const createOldVersionError = () =>
  createFileError('the file', 'is of a NetBox before 2.11, which is not read: upgrade a copy of it first')

/** @throws AppError VALIDATION_ERROR on `file` for a rack as it was before 2.11, whatever else the file has */
export const checkFields = (kind: string, fields: Readonly<Record<string, unknown>>): void => {
  if (kind === 'dcim.rack' && 'group' in fields && !('location' in fields)) throw createOldVersionError()
}
