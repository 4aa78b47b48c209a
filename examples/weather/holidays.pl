days([wet, wet, wet, wet, wet, dry, wet, dry, dry, wet]).
days([dry, dry, wet, dry, dry, dry, dry]).
days([dry, dry, dry, wet, wet, wet, wet, wet, wet, wet]).
days([wet, wet, wet, wet, wet, wet, wet]).
days([wet, wet, wet, dry, wet, wet, dry, wet, wet, wet, wet, wet, wet, wet, dry, dry, dry, dry, dry, dry]).
days([wet, wet, wet, wet, wet, wet]).
days([dry, wet, wet, dry, wet, wet, wet]).
days([wet, wet, dry, dry, wet]).
days([wet, dry, dry, dry, dry, dry, dry, dry, wet, wet, wet, dry, wet, wet, wet, dry, wet, dry, wet, wet, wet, wet, dry, dry, dry, wet, dry, dry, dry, dry, dry, dry, dry, dry, wet, wet, wet, wet, wet, wet, wet, dry, wet, dry, dry, dry, dry, dry, wet, wet, wet, wet, wet, wet, dry]).
days([dry, wet, dry, wet, dry, dry, dry, wet, wet]).
days([dry, dry, wet, dry, wet, dry, dry, dry, dry, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, dry, dry, dry, wet, wet, wet, dry, wet, dry, dry, wet, wet, dry, dry, dry, dry, dry, dry, wet, dry, dry, dry, dry, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet]).
days([wet, wet, wet, wet, wet, wet, wet, dry, wet, wet, wet, dry, dry, dry, wet, dry, dry, dry, wet, wet, wet, dry, wet, wet, wet, dry, dry, wet, dry, wet, wet]).
days([dry, dry, dry, dry, dry, dry, dry, dry, dry, dry, wet, dry, dry, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet]).
days([wet, wet, dry, wet, wet, wet, dry, dry]).
days([wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet, wet, wet, wet, dry, dry, dry, wet, wet, wet, wet, dry, dry, dry, dry]).
days([dry, dry, dry, wet, dry, dry, dry, dry, wet, wet, wet, wet, wet, wet, dry, wet, wet]).
days([dry, dry, dry, wet, dry, dry, wet, wet, wet, wet, dry, wet, wet, wet, dry, wet, wet, wet, dry, wet, dry, dry]).
days([wet]).
days([wet, wet, dry, dry, dry, dry, dry, dry, wet, wet, wet, wet, dry, dry, dry, dry, dry, dry, wet, wet, dry, dry]).
days([dry, wet, wet]).
days([wet, wet]).
days([wet, wet, wet, wet, wet, wet, wet, wet, dry, dry, dry, dry, dry, dry, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet, dry, wet, wet, wet, wet, dry, wet, dry, wet, dry, dry, wet, wet, dry, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet, dry, wet, wet, wet, wet, wet]).
days([dry, wet, wet, dry, dry, dry, dry, dry, dry, dry, dry, dry, dry, wet, wet, wet, dry, wet, dry, wet, wet, wet, wet, wet, wet]).
days([wet, wet, dry, wet, wet, wet, wet, dry, wet, dry, wet, dry, dry, dry, wet, wet, wet, dry, dry, dry, wet, wet, wet, wet, dry, dry, dry, wet, dry, dry, dry, dry, dry, dry, dry, dry]).
days([dry, dry, dry, dry, dry, dry, wet, wet, dry, wet, dry, dry, dry, dry, dry, wet, wet, dry, dry, dry, dry, wet, wet, dry, dry, dry, wet, wet]).
days([wet, wet, wet, wet, wet]).
days([wet, wet, wet, dry, wet, wet]).
days([wet, wet, wet, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet]).
days([wet, wet, dry, wet, wet, wet, wet, wet, dry, wet, wet, wet, dry, dry, dry, dry, wet, dry, wet, wet, dry]).
days([dry, dry, wet, dry, dry, dry, dry, dry, dry, dry, wet, wet]).
days([wet, wet, wet, dry, dry]).
days([wet, dry, wet]).
days([dry, dry, dry, dry, dry, dry, dry, dry, dry, dry, dry, wet, wet, wet, wet]).
days([dry, dry, dry, dry, dry, dry, wet, wet, wet, dry, dry, dry, wet, dry, dry, wet, wet, wet, dry, dry, dry, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet]).
days([wet, wet, wet, wet, dry, wet, wet, wet, dry, wet, wet, wet, dry, wet, wet, wet, wet, dry, dry, dry, dry, dry, wet, wet, dry]).
days([dry, dry, dry, dry, dry, dry, dry, dry, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet]).
days([wet, wet, wet, dry, dry, dry]).
days([wet, wet, wet, wet, dry, dry, wet, wet, wet, wet, wet, wet, dry, dry, wet, wet]).
days([wet, wet, wet, wet, wet, wet, wet, dry, dry, dry, wet, wet, wet, wet]).
days([wet, wet, dry, dry, dry, dry, wet, dry, wet]).
days([wet, wet, wet, wet, dry, dry, dry, dry, dry, dry, dry, dry, dry, dry, dry, dry]).
days([wet, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet, dry, dry, dry, wet, wet, wet, wet, wet, dry, dry, dry, dry, dry, dry, wet, dry, dry]).
days([wet, wet, wet, wet, wet]).
days([wet, wet, wet, dry, wet, wet, wet, dry, wet]).
days([wet, wet]).
days([dry]).
days([wet, wet, wet, wet, wet, wet, wet]).
days([wet, wet, dry, wet, wet, wet]).
days([wet, wet, wet, dry, wet, dry, dry, dry, wet, dry, dry, dry, dry, dry, dry, dry, wet, wet, wet, dry, wet, wet, wet]).
days([wet, wet, wet, wet, wet, dry, dry, dry, dry, dry, dry, wet, dry, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet]).
days([wet, wet, dry, dry, dry, dry, dry, dry, dry, wet, dry, wet, dry]).
days([wet, wet, dry, wet, wet, dry]).
days([wet]).
days([wet, wet, dry, dry, dry, dry, dry, wet, wet]).
days([wet, wet, wet, dry, wet]).
days([dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet, dry, dry, dry, dry, dry, wet, dry, wet, dry, wet, dry, wet, wet, wet, wet, wet, dry, wet, wet]).
days([wet, dry, dry, dry, dry, wet, dry, dry, dry]).
days([dry, wet, wet, dry, wet, wet, dry, dry, dry, wet, dry, wet, dry, dry, dry, wet, wet, wet, wet, wet, wet, wet, wet]).
days([wet, wet, wet, wet, wet, wet, wet, dry, wet, wet, wet, wet, wet, wet, wet, dry, wet, wet, wet, wet, wet, wet, wet, wet, dry, wet, wet, wet, wet, wet, wet, dry, wet, dry, wet, wet, wet, dry, wet, wet, wet, wet, dry, dry, wet, dry, dry, dry, wet, wet, wet, wet, dry, dry, dry, wet, wet, dry, dry, wet, wet, dry, dry, wet, dry, dry, dry, wet, wet, dry, dry, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet, wet]).
days([wet, wet, dry, dry, dry, wet, dry, wet, dry, wet, wet, dry, dry, wet, wet, wet, dry, wet, wet, wet]).
