/** Asks for the reason of a decision, which may stay empty. */
import { useState } from 'react'
import { FormDialog, type FormDialogProps } from '../resource/form/form-dialog.tsx'
import { TextArea } from '../ui/field.tsx'

type Props = Pick<FormDialogProps, 'title' | 'action' | 'isDanger' | 'onClose'> & {
  readonly onSubmit: (reason: string) => void
}

export const ReasonDialog = ({ onSubmit, ...rest }: Props) => {
  const [text, setText] = useState('')
  return (
    <FormDialog {...rest} isBlocked={false} onSubmit={() => onSubmit(text.trim())}>
      <TextArea label="Reason" hint="For all who see the proposal" value={text} onChange={setText} />
    </FormDialog>
  )
}
