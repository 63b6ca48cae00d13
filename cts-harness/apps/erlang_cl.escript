#!/usr/bin/env escript
%% Erlang's OpenCL binding: buffers, images, events and kernels; the results against those of Erlang's own arithmetic.

source() ->
    "kernel void square(global const float *in, global float *out, uint count) {"
    "  size_t i = get_global_id(0); if (i < count) out[i] = in[i] * in[i] + 0.5f; }"
    "kernel void gcd(global const int2 *in, global int *out) {"
    "  size_t i = get_global_id(0); int2 v = in[i];"
    "  while (v.y) v = (int2)(v.y, v.x % v.y); out[i] = v.x; }"
    "kernel void total(global const ulong *in, global ulong *out, local ulong *part) {"
    "  size_t l = get_local_id(0); part[l] = in[get_global_id(0)];"
    "  for (size_t step = get_local_size(0) / 2; step; step /= 2) {"
    "    barrier(CLK_LOCAL_MEM_FENCE); if (l < step) part[l] += part[l + step]; }"
    "  if (!l) out[get_group_id(0)] = part[0]; }".

%% Runs a kernel on bytes and gives those that it writes.
run({Context, Queue, Program}, Name, In, Size, More, Global, Local) ->
    {ok, From} = cl:create_buffer(Context, [read_only], byte_size(In)),
    {ok, To} = cl:create_buffer(Context, [write_only], Size),
    {ok, Kernel} = cl:create_kernel(Program, Name),
    clu:apply_kernel_args(Kernel, [From, To | More]),
    {ok, Written} = cl:enqueue_write_buffer(Queue, From, 0, byte_size(In), In, []),
    {ok, Ran} = cl:enqueue_nd_range_kernel(Queue, Kernel, [Global], [Local], [Written]),
    {ok, Read} = cl:enqueue_read_buffer(Queue, To, 0, Size, [Ran]),
    ok = cl:flush(Queue),
    {ok, Bytes} = cl:wait(Read),
    Bytes.

gcd(A, 0) -> A;
gcd(A, B) -> gcd(B, A rem B).

judge(Name, Good) ->
    io:format("~s ~s~n", [case Good of true -> "ok"; false -> "WRONG" end, Name]),
    Good.

main(_) ->
    {ok, [Platform | _]} = cl:get_platform_ids(),
    {ok, [Device | _]} = cl:get_device_ids(Platform, all),
    {ok, Name} = cl:get_device_info(Device, name),
    {ok, Context} = cl:create_context([Device]),
    {ok, Queue} = cl:create_queue(Context, Device, []),
    {ok, Program} = cl:create_program_with_source(Context, source()),
    ok = cl:build_program(Program, [Device], ""),
    On = {Context, Queue, Program},

    Squares = run(On, "square", << <<X:32/native-float>> || X <- lists:seq(1, 1000) >>, 4000, [1000], 1024, 64),
    One = judge("squares", Squares =:= << <<(X * X + 0.5):32/native-float>> || X <- lists:seq(1, 1000) >>),

    Pairs = [{X * 12, (X * 7919) rem 5000 + 1} || X <- lists:seq(1, 512)],
    Divisors = run(On, "gcd", << <<A:32/native, B:32/native>> || {A, B} <- Pairs >>, 2048, [], 512, 32),
    Two = judge("greatest common divisors", Divisors =:= << <<(gcd(A, B)):32/native>> || {A, B} <- Pairs >>),

    Numbers = [X * X * 1000003 || X <- lists:seq(1, 4096)],
    Sums = run(On, "total", << <<X:64/native>> || X <- Numbers >>, 512, [{local, 512}], 4096, 64),
    Total = lists:sum([X || <<X:64/native>> <= Sums]),
    Three = judge("sums", byte_size(Sums) =:= 512 andalso Total =:= lists:sum(Numbers)),

    Refused = cl:create_kernel(Program, "absent"),
    Four = judge("an error's name", Refused =:= {error, invalid_kernel_name}),
    {ok, Bad} = cl:create_program_with_source(Context, "kernel void k() { undeclared = 1; }"),
    _ = cl:build_program(Bad, [Device], ""),
    {ok, Log} = cl:get_program_build_info(Bad, Device, log),
    Five = judge("a build's log", string:find(Log, "undeclared") =/= nomatch),

    Right = length([true || true <- [One, Two, Three, Four, Five]]),
    io:format("~w of 5 equal on ~s~n", [Right, Name]).
