export const doctor = async () => 0
