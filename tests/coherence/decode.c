/* SPDX-License-Identifier: MIT */
#include "decode.h"

#include "check.h"

#include <link.h>
#include <string.h>
#include <unistd.h>

#define INSTRUCTIONS (1u << 17)

extern const ElfW(Ehdr) __ehdr_start;

static struct instruction {
	uintptr_t at;
	char text[56]; /* mnemonic with its suffix, operands */
} * instructions;
static size_t count;

static uintptr_t load_address(void)
{
	return __ehdr_start.e_type == ET_DYN ? (uintptr_t)&__ehdr_start : 0;
}

static void list(FILE *f)
{
	char line[4096];

	while (fgets(line, sizeof(line), f) != NULL) {
		unsigned long at;
		int text = 0;

		if (sscanf(line, " %lx: %n", &at, &text) != 1 || text == 0)
			continue;
		line[strcspn(line, "#<\n")] = '\0';
		CHECK(count < INSTRUCTIONS);
		instructions[count].at = load_address() + at;
		strncpy(instructions[count].text, line + text,
			sizeof(instructions->text) - 1);
		count++;
	}
}

void decode_start(void)
{
	char command[120];
	FILE *f;

	instructions = calloc(INSTRUCTIONS, sizeof(*instructions));
	CHECK(instructions != NULL);
	snprintf(command, sizeof(command),
		 "objdump -d -w --no-show-raw-insn -M suffix /proc/%d/exe "
		 "2>/dev/null",
		 (int)getpid());
	f = popen(command, "r");
	CHECK(f != NULL);
	list(f);
	if (pclose(f) != 0 || count == 0)
		SKIP("no objdump to find instructions with");
}

/* objdump lists them in order within each part of the program. */
static const struct instruction *find(uintptr_t at)
{
	size_t low = 0;
	size_t high = count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (instructions[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && instructions[low].at == at ? &instructions[low] :
							   NULL;
}

uintptr_t decode_next(uintptr_t at)
{
	const struct instruction *i = find(at);

	return i != NULL && i + 1 < instructions + count ? i[1].at : 0;
}

static const struct {
	const char *name;
	int number;
} registers[] = {
	{ "rax", REG_RAX }, { "rbx", REG_RBX }, { "rcx", REG_RCX },
	{ "rdx", REG_RDX }, { "rsi", REG_RSI }, { "rdi", REG_RDI },
	{ "rbp", REG_RBP }, { "rsp", REG_RSP }, { "r8", REG_R8 },
	{ "r9", REG_R9 },   { "r10", REG_R10 }, { "r11", REG_R11 },
	{ "r12", REG_R12 }, { "r13", REG_R13 }, { "r14", REG_R14 },
	{ "r15", REG_R15 },
};

/* The value of the register whose name starts at @name, after its '%'. */
static uintptr_t value(const ucontext_t *u, const char *name)
{
	size_t len = strcspn(name, ",)");

	if (strncmp(name, "rip", len) == 0)
		return decode_next((uintptr_t)u->uc_mcontext.gregs[REG_RIP]);
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		if (strlen(registers[i].name) == len &&
		    strncmp(registers[i].name, name, len) == 0)
			return (uintptr_t)
				u->uc_mcontext.gregs[registers[i].number];
	FAIL("no register %s", name);
}

/* Of an operand such as %fs:0x8(%rdx,%rcx,4). */
static uintptr_t address(const ucontext_t *u, const char *operand)
{
	const char *p = strchr(operand, '(') + 1;
	uintptr_t at = 0;

	if (strncmp(operand, "%fs:", 4) == 0) {
		at = (uintptr_t)__builtin_thread_pointer();
		operand += 4;
	}
	at += (uintptr_t)strtol(operand, NULL, 16);
	if (*p == '%')
		at += value(u, p + 1);
	p += strcspn(p, ",)");
	if (*p == ',')
		at += value(u, p + 2) *
		      strtoul(strchr(p + 1, ',') + 1, NULL, 10);
	return at;
}

static size_t size_of(const char *mnemonic)
{
	static const char *const vectors[] = { "%xmm", "%ymm", "%zmm" };
	size_t len = strcspn(mnemonic, " ");
	char suffix = mnemonic[len - 1];

	for (unsigned i = 0; i < 3; i++)
		if (strstr(mnemonic, vectors[i]) != NULL)
			return 16u << i;
	if (strncmp(mnemonic, "movz", 4) == 0 ||
	    (strncmp(mnemonic, "movs", 4) == 0 && len == 6))
		suffix = mnemonic[4];
	switch (suffix) {
	case 'b': return 1;
	case 'w': return 2;
	case 'l': return 4;
	case 'q': return 8;
	default: FAIL("no width in %s", mnemonic);
	}
}

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

bool decode_returns(uintptr_t at)
{
	const struct instruction *i = find(at);

	return i != NULL && starts(i->text, "ret");
}

/* The operand in memory: up to its parenthesis there is no other comma. */
static const char *memory_operand(const char *text)
{
	const char *operand = strchr(text, '(');

	while (operand != NULL && operand[-1] != ' ' && operand[-1] != ',')
		operand--;
	return operand;
}

void decode_access(const ucontext_t *u, decode_access_fn *access)
{
	const struct instruction *i =
		find((uintptr_t)u->uc_mcontext.gregs[REG_RIP]);
	const char *operand;
	bool last;

	if (i == NULL)
		FAIL("an instruction that objdump does not know");
	if (starts(i->text, "push") || starts(i->text, "pop") ||
	    starts(i->text, "call") || starts(i->text, "ret") ||
	    starts(i->text, "lock") || starts(i->text, "xchg"))
		FAIL("not expected here: %s", i->text);
	operand = memory_operand(i->text);
	if (operand == NULL || starts(i->text, "lea") || starts(i->text, "nop"))
		return;
	last = strchr(strchr(operand, ')'), ',') == NULL;
	if (!last || !(starts(i->text, "mov") || starts(i->text, "vmov")))
		access(address(u, operand), size_of(i->text), MODEL_READ);
	if (last && !starts(i->text, "cmp") && !starts(i->text, "test"))
		access(address(u, operand), size_of(i->text), MODEL_WRITE);
}
