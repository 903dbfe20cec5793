! Ranks of MPI of which the first one takes what the others send, from any of them.
program messages
  use mpi
  implicit none
  integer :: rank, ranks, value, i, code
  call mpi_init(code)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, code)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, code)
  value = rank
  if (rank /= 0) then
    call mpi_send(value, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, code)
  else
    do i = 2, ranks
      call mpi_recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
    end do
  end if
  print *, mpi_wtime()
  call mpi_finalize(code)
end program
