/** A name or number that another object has is an error of its field, as in NetBox. */
import { AppError } from '../../../contract/errors.ts'
import { refuseField } from '../../door/errors.ts'

/** @throws NetboxError about the field, where another object has the value */
export const refuseTaken = async <T>(field: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AppError && error.code === 'ALREADY_EXISTS' && error.details.length === 0)
      throw refuseField(field, error.message)
    throw error
  }
}
