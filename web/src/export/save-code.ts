/** Saves a whole list as an estate document. */
import { request } from '../api/client.ts'
import { toast, toastError } from '../ui/toast.tsx'
import { save } from './save.ts'

export const saveCode = async (resource: string): Promise<void> => {
  try {
    const response = await request(`/api/estate/export?resource=${resource}&format=yaml`, { method: 'GET' })
    save(`${resource}.yaml`, 'application/yaml', await response.text())
    toast(`Exported all ${resource} as code`)
  } catch (error) {
    toastError('The list could not be exported', error)
  }
}
