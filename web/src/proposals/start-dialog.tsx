/** Starts a draft: from then on, each change on the pages is noted in it. */
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { toAsOf } from '../api/as-of.ts'
import { api } from '../api/client.ts'
import { getFieldErrors } from '../api/errors.ts'
import { hasPast } from '../history/with-past.ts'
import { FormDialog } from '../resource/form/form-dialog.tsx'
import { startIsOpen } from '../shell/palette-state.ts'
import { TextField } from '../ui/field.tsx'
import { refreshProposals } from './queries.ts'

const close = () => startIsOpen.set(false)

export const StartDialog = () => {
  const navigate = useNavigate()
  const path = useRouterState({ select: (state) => state.location.pathname })
  const [title, setTitle] = useState('')
  const start = useMutation({
    mutationFn: () => api.proposals.create({ title }),
    onSuccess: ({ number }) => {
      close()
      refreshProposals()
      const as_of = toAsOf(number)
      if (hasPast(path)) void navigate({ to: '.', search: (old: object) => ({ ...old, as_of }) })
      else void navigate({ to: '/devices', search: { as_of } })
    },
  })
  const errors = getFieldErrors(start.error)
  return (
    <FormDialog
      title="Start a proposal"
      action="Start"
      isBlocked={start.isPending}
      error={errors.title === undefined && start.error}
      onSubmit={start.mutate}
      onClose={close}
    >
      <p>
        You then change the pages as ever, and nothing of it is made. The draft notes it, and you open it for review
        when it is ready.
      </p>
      <TextField
        label="Title"
        placeholder="Move rack B"
        value={title}
        onChange={setTitle}
        error={errors.title}
        required
      />
    </FormDialog>
  )
}
