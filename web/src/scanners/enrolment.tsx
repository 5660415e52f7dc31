/** A new token of a scanner, and the dialog that shows how to start it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { toastError } from '../ui/toast.tsx'
import type { Scanner } from './queries.ts'
import { type Enrolment, StartDialog } from './start-dialog.tsx'

type Tools = {
  /** Opens the dialog for a scanner with a token. */
  readonly show: (enrolment: Enrolment) => void
  /** Makes another token, and opens the dialog. */
  readonly enrol: (scanner: Scanner) => void
  readonly dialog: ReactNode
}

export const useEnrolment = (): Tools => {
  const client = useQueryClient()
  const [shown, setShown] = useState<Enrolment>()
  const { mutate: enrol } = useMutation({
    mutationFn: async (scanner: Scanner): Promise<Enrolment> => {
      const { enrolment_token, enrolment_expires_at } = await api.scanners.enrol({ id: scanner.id })
      return { scanner, token: enrolment_token, expiresAt: enrolment_expires_at }
    },
    onSuccess: (enrolment) => {
      setShown(enrolment)
      for (const key of ['scanners', 'scanner']) void client.invalidateQueries({ queryKey: [key] })
    },
    onError: (error) => toastError('There is no new token', error),
  })
  return {
    show: setShown,
    enrol,
    dialog: shown && <StartDialog key={shown.token} {...shown} onClose={() => setShown(undefined)} />,
  }
}
