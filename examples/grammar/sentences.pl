sentence([the, girl, heard, the, garden, with, the, garden]).
sentence([the, dog, saw, the, girl]).
sentence([the, girl, met, the, girl, in, the, dog, in, the, dog]).
sentence([the, dog, in, the, garden, saw, the, girl, in, the, boy]).
sentence([the, telescope, met, the, telescope, in, the, telescope]).
sentence([the, girl, saw, the, boy, in, the, telescope]).
sentence([the, dog, with, the, boy, saw, the, garden]).
sentence([the, telescope, heard, the, girl, with, the, girl]).
sentence([the, telescope, saw, the, boy, in, the, boy, with, the, dog]).
sentence([the, dog, in, the, dog, heard, the, garden]).
sentence([the, boy, saw, the, garden, with, the, dog]).
sentence([the, dog, with, the, dog, met, the, dog]).
sentence([the, girl, saw, the, boy, with, the, girl]).
sentence([the, telescope, in, the, telescope, saw, the, boy, in, the, girl]).
sentence([the, girl, met, the, boy]).
sentence([the, garden, met, the, girl, in, the, dog, with, the, garden]).
sentence([the, girl, met, the, telescope, in, the, boy, with, the, telescope]).
sentence([the, girl, heard, the, garden]).
sentence([the, garden, heard, the, dog]).
sentence([the, garden, in, the, girl, with, the, dog, saw, the, girl]).
sentence([the, garden, met, the, girl, with, the, boy]).
sentence([the, dog, in, the, girl, saw, the, girl, in, the, telescope]).
sentence([the, boy, with, the, garden, met, the, telescope, with, the, telescope]).
sentence([the, dog, saw, the, boy]).
sentence([the, girl, met, the, garden]).
sentence([the, garden, with, the, telescope, met, the, telescope]).
sentence([the, garden, with, the, dog, met, the, garden, with, the, dog, with, the, dog]).
sentence([the, dog, saw, the, girl, in, the, boy]).
sentence([the, telescope, saw, the, telescope]).
sentence([the, dog, saw, the, boy]).
sentence([the, dog, met, the, telescope]).
sentence([the, garden, met, the, garden, in, the, dog, with, the, telescope, with, the, dog]).
sentence([the, telescope, heard, the, telescope, with, the, dog]).
sentence([the, dog, with, the, telescope, with, the, dog, saw, the, girl, in, the, telescope, with, the, girl]).
sentence([the, girl, heard, the, dog]).
sentence([the, telescope, met, the, girl, in, the, telescope]).
sentence([the, garden, met, the, telescope]).
sentence([the, dog, heard, the, boy]).
sentence([the, garden, heard, the, dog]).
sentence([the, boy, with, the, garden, heard, the, dog, with, the, dog]).
sentence([the, garden, saw, the, girl, with, the, boy, in, the, boy]).
sentence([the, girl, saw, the, boy, in, the, boy]).
sentence([the, dog, heard, the, girl]).
sentence([the, girl, heard, the, boy]).
sentence([the, telescope, in, the, girl, met, the, garden]).
sentence([the, girl, met, the, telescope]).
sentence([the, garden, met, the, boy, with, the, dog]).
sentence([the, girl, with, the, telescope, saw, the, girl]).
sentence([the, telescope, in, the, garden, saw, the, telescope, in, the, dog]).
sentence([the, garden, saw, the, girl]).
sentence([the, telescope, met, the, dog, with, the, dog]).
sentence([the, boy, heard, the, garden]).
sentence([the, boy, with, the, garden, heard, the, girl, with, the, dog]).
sentence([the, dog, with, the, boy, heard, the, dog, with, the, boy]).
sentence([the, girl, saw, the, dog, in, the, telescope]).
sentence([the, girl, saw, the, telescope, in, the, girl]).
sentence([the, garden, saw, the, boy]).
sentence([the, dog, met, the, garden]).
sentence([the, dog, saw, the, boy]).
sentence([the, girl, met, the, boy]).
sentence([the, telescope, with, the, dog, heard, the, garden]).
sentence([the, boy, saw, the, girl, with, the, boy, with, the, boy]).
sentence([the, girl, heard, the, boy]).
sentence([the, girl, heard, the, dog]).
sentence([the, telescope, saw, the, girl, with, the, girl]).
sentence([the, boy, met, the, garden, with, the, girl]).
sentence([the, garden, met, the, garden]).
sentence([the, boy, in, the, girl, met, the, telescope]).
sentence([the, dog, heard, the, boy, in, the, girl]).
sentence([the, girl, with, the, girl, heard, the, dog]).
sentence([the, boy, heard, the, garden, in, the, telescope]).
sentence([the, garden, met, the, boy]).
sentence([the, garden, met, the, dog, with, the, garden, with, the, girl]).
sentence([the, girl, heard, the, boy, in, the, girl]).
sentence([the, girl, saw, the, girl, in, the, telescope]).
sentence([the, girl, heard, the, telescope]).
sentence([the, dog, met, the, telescope, with, the, dog]).
sentence([the, garden, saw, the, boy]).
sentence([the, girl, with, the, telescope, heard, the, dog, with, the, telescope, with, the, dog]).
sentence([the, dog, met, the, girl]).
sentence([the, telescope, saw, the, girl]).
sentence([the, boy, heard, the, dog, in, the, boy]).
sentence([the, boy, heard, the, girl, with, the, boy, with, the, dog]).
sentence([the, telescope, saw, the, telescope]).
sentence([the, girl, heard, the, boy, in, the, girl]).
sentence([the, telescope, met, the, dog, with, the, telescope, with, the, girl, in, the, telescope]).
sentence([the, dog, saw, the, telescope]).
sentence([the, telescope, met, the, telescope]).
sentence([the, telescope, met, the, telescope]).
sentence([the, garden, saw, the, dog, in, the, dog]).
sentence([the, telescope, met, the, girl]).
sentence([the, dog, saw, the, girl]).
sentence([the, dog, with, the, boy, saw, the, telescope, with, the, dog]).
sentence([the, girl, heard, the, garden, with, the, boy, in, the, boy]).
sentence([the, girl, heard, the, boy]).
sentence([the, dog, heard, the, girl, in, the, boy]).
sentence([the, garden, heard, the, garden, with, the, boy]).
sentence([the, telescope, saw, the, boy, in, the, garden]).
sentence([the, garden, heard, the, dog]).
sentence([the, boy, met, the, garden]).
sentence([the, garden, heard, the, dog]).
sentence([the, telescope, in, the, dog, with, the, telescope, heard, the, girl]).
sentence([the, girl, met, the, garden]).
sentence([the, boy, saw, the, garden]).
sentence([the, dog, in, the, dog, in, the, telescope, met, the, garden, with, the, garden]).
sentence([the, telescope, heard, the, telescope, with, the, garden]).
sentence([the, dog, with, the, girl, saw, the, dog]).
sentence([the, telescope, saw, the, boy, with, the, girl]).
sentence([the, boy, saw, the, girl, with, the, telescope, with, the, telescope]).
sentence([the, dog, met, the, telescope, in, the, boy, with, the, dog]).
sentence([the, boy, met, the, boy, in, the, garden]).
sentence([the, boy, heard, the, garden]).
sentence([the, garden, saw, the, girl, with, the, garden]).
sentence([the, garden, met, the, telescope]).
sentence([the, dog, saw, the, dog]).
sentence([the, dog, heard, the, boy, with, the, girl]).
sentence([the, telescope, with, the, telescope, heard, the, boy, in, the, boy, in, the, boy]).
sentence([the, boy, saw, the, girl, in, the, telescope]).
sentence([the, dog, in, the, dog, saw, the, garden]).
sentence([the, girl, met, the, girl, with, the, dog]).
sentence([the, girl, met, the, telescope]).
sentence([the, dog, met, the, garden]).
sentence([the, boy, met, the, dog, in, the, garden]).
sentence([the, telescope, met, the, garden, in, the, telescope, in, the, telescope, in, the, telescope]).
sentence([the, garden, in, the, girl, met, the, telescope, in, the, garden, in, the, girl]).
sentence([the, boy, heard, the, boy]).
sentence([the, boy, met, the, dog]).
sentence([the, boy, with, the, garden, met, the, girl]).
sentence([the, telescope, with, the, girl, met, the, girl]).
sentence([the, garden, met, the, telescope, with, the, girl]).
sentence([the, girl, with, the, dog, saw, the, boy, with, the, boy, in, the, dog]).
sentence([the, boy, met, the, telescope]).
sentence([the, garden, with, the, dog, met, the, garden]).
sentence([the, girl, met, the, telescope, with, the, boy]).
sentence([the, garden, saw, the, garden]).
sentence([the, garden, saw, the, garden, in, the, dog]).
sentence([the, boy, heard, the, telescope]).
sentence([the, girl, heard, the, telescope]).
sentence([the, telescope, heard, the, dog, in, the, dog]).
sentence([the, girl, heard, the, dog]).
sentence([the, garden, met, the, garden]).
sentence([the, garden, met, the, dog]).
sentence([the, dog, saw, the, girl]).
sentence([the, telescope, in, the, telescope, in, the, garden, heard, the, girl, with, the, garden]).
sentence([the, dog, with, the, telescope, heard, the, garden]).
sentence([the, girl, in, the, garden, saw, the, telescope]).
sentence([the, telescope, with, the, girl, met, the, girl, with, the, dog, with, the, telescope]).
sentence([the, girl, saw, the, dog]).
sentence([the, boy, in, the, girl, heard, the, dog, with, the, telescope, in, the, boy, with, the, telescope]).
sentence([the, boy, in, the, girl, in, the, dog, met, the, garden, with, the, telescope, in, the, dog, with, the, telescope]).
